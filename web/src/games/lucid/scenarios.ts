/** Scenarios while they are edited: as values of a file, as a board to look at, and what a touch changes. */

import { COLUMN_LETTERS } from './map'
import type { LucidBoard, LucidNode, ScenarioValues } from './types'

export const LEAST_SIDE = 2
export const MOST_SIDE = COLUMN_LETTERS.length
export const MOST_ADVANTAGE = 3

export type Brush = 'blue' | 'red' | 'clear' | 'closed' | 'defender' | 'depot' | 'road'

export const BRUSHES: [Brush, string][] = [
  ['blue', 'Blue unit'],
  ['red', 'Red unit'],
  ['clear', 'Empty'],
  ['closed', 'Closed node'],
  ['road', 'Close a road'],
  ['defender', 'Defender'],
  ['depot', 'Supply'],
]

/** The words of the board, row 1 first. */
export function grid(values: ScenarioValues): string[][] {
  return values.board.map((row) => row.trim().split(/\s+/)).reverse()
}

function withGrid(values: ScenarioValues, words: string[][]): ScenarioValues {
  const board = [...words].reverse().map((row) => row.map((word) => word.padEnd(2)).join(' ').trim())
  return { ...values, board }
}

function wordAt(values: ScenarioValues, place: string): string {
  const { column, row } = locate(place)
  return grid(values)[row]?.[column] ?? '.'
}

function locate(place: string): { column: number; row: number } {
  return { column: COLUMN_LETTERS.indexOf(place[0] ?? ''), row: Number(place.slice(1)) - 1 }
}

function placeName(column: number, row: number): string {
  return `${COLUMN_LETTERS[column]}${row + 1}`
}

/** Every road of the grid, closed or not, as `a1-a2` or `a5-goal`. */
export function allRoads(values: ScenarioValues): string[] {
  const words = grid(values)
  return words.flatMap((row, at) =>
    row.flatMap((_, column) => {
      const here = placeName(column, at)
      const found = [`${here}-${at + 1 < words.length ? placeName(column, at + 1) : 'goal'}`]
      if (column + 1 < row.length) found.push(`${here}-${placeName(column + 1, at)}`)
      return found
    }),
  )
}

/** Whether both ends of a road can be entered at all. */
export function joins(values: ScenarioValues, road: string): boolean {
  return road.split('-').every((end) => end === 'goal' || wordAt(values, end) !== 'x')
}

export function advantageAt(values: ScenarioValues, place: string): number {
  const { defender } = values
  return typeof defender === 'number' ? defender : (defender[place] ?? defender.default ?? 1)
}

export function usualAdvantage(values: ScenarioValues): number {
  return typeof values.defender === 'number' ? values.defender : (values.defender.default ?? 1)
}

export function depots(values: ScenarioValues): string[] {
  if (values.supply === 'off') return []
  if (Array.isArray(values.supply)) return values.supply
  const first = grid(values)[0] ?? []
  return first.flatMap((word, column) => (word === 'x' ? [] : [placeName(column, 0)]))
}

/** What a touch of a node or road makes of a scenario. */
export function painted(values: ScenarioValues, brush: Brush, place: string): ScenarioValues {
  if (brush === 'road') {
    const shut = values.closed_roads
    const open = shut.filter((road) => road !== place)
    return { ...values, closed_roads: open.length < shut.length ? open : [...shut, place] }
  }
  if (brush === 'defender') {
    const usual = usualAdvantage(values)
    const next = (advantageAt(values, place) + 1) % (MOST_ADVANTAGE + 1)
    const table = typeof values.defender === 'number' ? {} : { ...values.defender }
    delete table[place]
    return { ...values, defender: { ...table, default: usual, ...(next !== usual && { [place]: next }) } }
  }
  if (brush === 'depot') {
    const now = depots(values)
    const fewer = now.filter((each) => each !== place)
    const supply = fewer.length < now.length ? fewer : [...now, place]
    return { ...values, supply: supply.length ? supply : 'off' }
  }
  const words = grid(values)
  const { column, row } = locate(place)
  const line = words[row]
  if (line) line[column] = newWord(line[column] ?? '.', brush, values.capacity)
  const changed = withGrid(values, words)
  return brush === 'closed' && line?.[column] === 'x' ? cleared(changed, place) : changed
}

/** One unit more of a side, the other side gone; past the capacity it begins anew. */
function newWord(word: string, brush: Brush, capacity: number): string {
  if (brush === 'clear') return '.'
  if (brush === 'closed') return word === 'x' ? '.' : 'x'
  const letter = brush === 'blue' ? 'b' : 'r'
  const units = word.startsWith(letter) ? Number(word.slice(1)) : 0
  return `${letter}${units >= capacity ? 1 : units + 1}`
}

/** Forget what was said of a node that is closed now. */
function cleared(values: ScenarioValues, place: string): ScenarioValues {
  const supply = Array.isArray(values.supply)
    ? values.supply.filter((each) => each !== place)
    : values.supply
  const defender = typeof values.defender === 'number' ? values.defender : { ...values.defender }
  if (typeof defender !== 'number') delete defender[place]
  const closed_roads = values.closed_roads.filter((road) => !road.split('-').includes(place))
  return { ...values, supply: supply.length ? supply : 'off', defender, closed_roads }
}

/** The same scenario on a larger or smaller board; what falls off is forgotten. */
export function resized(values: ScenarioValues, columns: number, rows: number): ScenarioValues {
  const old = grid(values)
  const words = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => old[row]?.[column] ?? '.'),
  )
  let made = withGrid(values, words)
  const known = new Set(allRoads(made))
  made = { ...made, closed_roads: made.closed_roads.filter((road) => known.has(road)) }
  const inside = (place: string) => {
    const at = locate(place)
    return at.column < columns && at.row < rows
  }
  if (Array.isArray(made.supply)) made.supply = made.supply.filter(inside)
  if (made.supply.length === 0) made.supply = 'row1'
  if (typeof made.defender !== 'number') {
    const kept = Object.entries(made.defender).filter(([key]) => key === 'default' || inside(key))
    made.defender = Object.fromEntries(kept)
  }
  return made
}

/** A board to look at while it is edited, whether it can be played or not. */
export function boardOf(values: ScenarioValues): LucidBoard {
  const words = grid(values)
  const sources = new Set(depots(values))
  const units: [number, number] = [0, 0]
  const nodes = words.flatMap((row, at) =>
    row.map((word, column): LucidNode => {
      const count = Number(/^[br](\d+)$/.exec(word)?.[1] ?? 0)
      const side = word.startsWith('b') ? 0 : 1
      units[side] += count
      const place = placeName(column, at)
      return {
        place,
        column,
        row: at,
        blue: side === 0 ? count : 0,
        red: side === 1 ? count : 0,
        moved: 0,
        movable: 0,
        room: 0,
        source: false,
        closed: word === 'x',
        depot: sources.has(place),
        advantage: advantageAt(values, place),
        combat: null,
      }
    }),
  )
  const open = allRoads(values).filter(
    (road) => joins(values, road) && !values.closed_roads.includes(road),
  )
  const pairs = open.map((road) => road.split('-') as [string, string])
  return {
    game: 'lucid',
    turn: 1,
    turns: values.turns,
    mover: null,
    goal: 0,
    capacity: values.capacity,
    left: units,
    lost: [0, 0],
    columns: words[0]?.length ?? 0,
    rows: words.length,
    units,
    supply: values.supply !== 'off',
    roads: pairs.filter(([, there]) => there !== 'goal'),
    exits: pairs.filter(([, there]) => there === 'goal').map(([here]) => here),
    nodes,
  }
}
