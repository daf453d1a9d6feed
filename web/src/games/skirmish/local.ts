/**
 * Skirmish shown without a server: what its screen in Python says of a position, said here, too.
 * The rules are not here but in the kernels; tests compare every word with Python's.
 */

import type { GameEvent } from '../../lib/protocol'
import type { LocalGame } from '../../page/engine'
import type { SkirmishBoard, SkirmishUnit } from './types'

const SIDE = 8
const SQUARES = SIDE * SIDE
const UNITS = SQUARES
const AGES = UNITS + SQUARES
const MOVER = AGES + SQUARES
const PLAYED = MOVER + 1
const BOTH_EMPTY = PLAYED + 2
const MAX_TURNS = BOTH_EMPTY + 1
const OVER = -1

const TOWN = 1
const BARRACKS = 2
const KINDS = ['', 'town', 'barracks', 'worker', 'soldier']
const LIFESPAN = [0, 60, 16, 80, 80]
const PERIOD = [0, 12, 8, 0, 0]
const SIDES = ['First', 'Second']

const STEPS = 9
const BUILD = 4
const PASS = SQUARES * STEPS

interface Unit {
  square: number
  seat: number
  kind: number
  age: number
}

type Cells = Int16Array

function squareName(square: number): string {
  return `${'abcdefgh'[square % SIDE]}${SIDE - Math.floor(square / SIDE)}`
}

function squareOf(name: string): number {
  return (SIDE - Number(name[1])) * SIDE + 'abcdefgh'.indexOf(name[0] ?? '')
}

function cell(cells: Cells, index: number): number {
  return cells[index] ?? 0
}

function unitOn(cells: Cells, square: number): Unit | null {
  const signed = cell(cells, UNITS + square)
  if (!signed) return null
  return {
    square,
    seat: signed > 0 ? 0 : 1,
    kind: Math.abs(signed),
    age: cell(cells, AGES + square),
  }
}

function unitsOn(cells: Cells): Unit[] {
  return Array.from({ length: SQUARES }, (_, square) => unitOn(cells, square)).filter(
    (unit) => unit !== null,
  )
}

function kindName(unit: Unit | null): string {
  return KINDS[unit?.kind ?? 0] ?? ''
}

function unitName(unit: Unit): string {
  return `${SIDES[unit.seat]}'s ${kindName(unit)}`
}

function destination(action: number): number {
  const square = Math.floor(action / STEPS)
  const step = action % STEPS
  return square + (Math.floor(step / 3) - 1) * SIDE + (step % 3) - 1
}

function builds(action: number): boolean {
  return action !== PASS && action % STEPS === BUILD
}

function captures(cells: Cells, action: number): boolean {
  return action !== PASS && !builds(action) && cell(cells, UNITS + destination(action)) !== 0
}

function halfTurn(cells: Cells): number {
  return cell(cells, PLAYED) + (cell(cells, MOVER) === OVER ? 0 : 1)
}

function shownUnit(unit: Unit): SkirmishUnit {
  const period = PERIOD[unit.kind] ?? 0
  return {
    place: squareName(unit.square),
    column: unit.square % SIDE,
    row: Math.floor(unit.square / SIDE),
    seat: unit.seat,
    kind: kindName(unit),
    age: unit.age,
    lifespan: LIFESPAN[unit.kind] ?? 0,
    raises_in: period ? period - (unit.age % period) : null,
  }
}

function board(cells: Cells): SkirmishBoard {
  const land = [...cells.subarray(0, SQUARES)].map((tile) => (tile ? '.' : 'x')).join('')
  const mover = cell(cells, MOVER)
  return {
    game: 'skirmish',
    side: SIDE,
    half_turn: halfTurn(cells),
    last_half_turn: 2 * cell(cells, MAX_TURNS),
    mover: mover === OVER ? null : mover,
    land: Array.from({ length: SIDE }, (_, row) => land.slice(row * SIDE, row * SIDE + SIDE)),
    units: unitsOn(cells).map(shownUnit),
  }
}

function action(cells: Cells, played: number) {
  if (played === PASS) return { kind: 'pass', from: null, to: null, label: 'Pass' }
  const from = squareName(Math.floor(played / STEPS))
  if (builds(played)) return { kind: 'build', from, to: from, label: `Build a barracks on ${from}` }
  const goal = destination(played)
  const to = squareName(goal)
  const unit = kindName(unitOn(cells, Math.floor(played / STEPS)))
  if (captures(cells, played)) {
    const taken = kindName(unitOn(cells, goal))
    return { kind: 'capture', from, to, label: `Take the ${taken} on ${to} with the ${unit} from ${from}` }
  }
  return { kind: 'move', from, to, label: `Move the ${unit} from ${from} to ${to}` }
}

function actionName(played: number): string {
  if (played === PASS) return 'pass'
  const from = squareName(Math.floor(played / STEPS))
  return builds(played) ? `${from}+` : `${from}-${squareName(destination(played))}`
}

function moveEvent(before: Cells, seat: number, played: number): GameEvent {
  const square = Math.floor(played / STEPS)
  const from = squareName(square)
  const side = SIDES[seat]
  if (builds(played)) {
    return { kind: 'build', place: from, text: `${side} builds a barracks on ${from}` }
  }
  const goal = destination(played)
  const to = squareName(goal)
  const taken = unitOn(before, goal)
  if (taken) {
    const text = `${side} takes ${unitName(taken)} on ${to}`
    return { kind: 'capture', from, to, unit: kindName(taken), text }
  }
  const unit = kindName(unitOn(before, square))
  return { kind: 'move', from, to, unit, text: `${side}'s ${unit} goes from ${from} to ${to}` }
}

/** The units after a move alone, before time has passed. */
function moved(before: Cells, played: number): Map<number, Unit> {
  const units = new Map(unitsOn(before).map((unit) => [unit.square, unit]))
  if (played === PASS) return units
  const square = Math.floor(played / STEPS)
  const unit = units.get(square)
  if (!unit) return units
  if (builds(played)) return units.set(square, { ...unit, kind: BARRACKS, age: 1 })
  units.delete(square)
  const goal = destination(played)
  return units.set(goal, { ...unit, square: goal })
}

/** Who has gone of age after a move, and who was raised. */
function timeEvents(before: Cells, played: number, after: Cells): GameEvent[] {
  const old = moved(before, played)
  const gone: GameEvent[] = []
  const raised: GameEvent[] = []
  for (let square = 0; square < SQUARES; square++) {
    const was = old.get(square)
    const is = unitOn(after, square)
    if (was && is && is.age === was.age + 1) continue
    const place = squareName(square)
    if (was) {
      const text = `${unitName(was)} on ${place} is gone, ${LIFESPAN[was.kind]} half-turns old`
      gone.push({ kind: 'gone', place, seat: was.seat, unit: kindName(was), text })
    }
    if (is) {
      const text = `${unitName(is)} on ${place} is raised`
      raised.push({ kind: 'raised', place, seat: is.seat, unit: kindName(is), text })
    }
  }
  return [...gone, ...raised]
}

function events(before: Cells, seat: number, played: number, after: Cells): GameEvent[] {
  const found = played === PASS ? [] : [moveEvent(before, seat, played)]
  if (cell(after, MOVER) === OVER) {
    return [...found, { kind: 'over', text: `The game is over: ${reason(after)}` }]
  }
  return [...found, ...timeEvents(before, played, after)]
}

function reason(cells: Cells): string {
  const alive = [0, 1].map((seat) => unitsOn(cells).some((unit) => unit.seat === seat))
  if (alive[0] && alive[1]) return `${cell(cells, MAX_TURNS)} turns played`
  if (alive[0] || alive[1]) return `${alive[0] ? 'Second' : 'First'} has no units left`
  const counts = cell(cells, BOTH_EMPTY) === 1 ? ', which counts for Second' : ''
  return `nobody has units left${counts}`
}

function progress(cells: Cells): string {
  const last = 2 * cell(cells, MAX_TURNS)
  return `move ${halfTurn(cells)}${last ? ` of ${last}` : ''}`
}

/** The rule that keeps a unit of the mover from going somewhere. */
function whyNot(cells: Cells, from: string, to: string | null): string {
  const square = squareOf(from)
  const unit = unitOn(cells, square)
  if (!unit) return ''
  if (unit.seat !== cell(cells, MOVER)) return to ? `That is ${unitName(unit)}.` : ''
  if (unit.kind === TOWN) return 'A town never moves.'
  if (unit.kind === BARRACKS) return 'Barracks never move.'
  const kind = kindName(unit)
  if (to === null) return `There is nowhere for the ${kind} to go.`
  const goal = squareOf(to)
  const other = unitOn(cells, goal)
  const rows = Math.abs(Math.floor(square / SIDE) - Math.floor(goal / SIDE))
  const columns = Math.abs((square % SIDE) - (goal % SIDE))
  if (Math.max(rows, columns) > 1) return `A ${kind} goes one step, in any direction.`
  if (!cell(cells, goal)) return `${to} is water: nothing can go there.`
  if (other && other.seat === unit.seat) return `Your own ${kindName(other)} stands on ${to}.`
  return other ? 'Only soldiers take units.' : ''
}

export const local: LocalGame = {
  board,
  action,
  actionName,
  events,
  turnLabel: (cells) => String(halfTurn(cells)),
  progress,
  reason,
  whyNot,
}
