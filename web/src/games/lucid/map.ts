/** The map sheet of Operation Lucid: where things lie, and words for what stands on a node. */

import type { GameEvent } from '../../lib/protocol'
import type { LucidBoard, LucidNode } from './types'

export const GOAL_Y = 50
export const COLUMN_LETTERS = 'abcdefghijkl'

const PITCH = { x: 128, y: 116 }
const FIRST_COLUMN_X = 94
const LAST_ROW_Y = 172
const LEAST_COLUMNS = 3 // on narrower boards the goal is wider than the board
const MOST_GOAL_PLACES = 45 // beyond that only their number is shown

export interface Point {
  x: number
  y: number
}

/** Where things lie on a board of a certain size. */
export interface Sheet {
  width: number
  height: number
  baseY: number // supply comes from the base
  goalWidth: number
  goalPitch: number
  goalPlaces: number
  centre: (name: string) => Point
}

export function sheetOf(board: Pick<LucidBoard, 'columns' | 'rows' | 'units'>): Sheet {
  const { columns, rows } = board
  const width = 2 * FIRST_COLUMN_X + (Math.max(columns, LEAST_COLUMNS) - 1) * PITCH.x
  const height = LAST_ROW_Y + (rows - 1) * PITCH.y + 108
  const firstX = width / 2 - ((columns - 1) * PITCH.x) / 2
  const units = board.units[0]
  return {
    width,
    height,
    baseY: height - 40,
    goalWidth: width - 80,
    goalPitch: Math.min(31.5, (width - 80 - 179) / Math.max(1, units - 1)),
    goalPlaces: units > MOST_GOAL_PLACES ? 0 : units,
    centre: (name) => ({
      x: firstX + COLUMN_LETTERS.indexOf(name[0] ?? 'a') * PITCH.x,
      y: LAST_ROW_Y + (rows - Number(name.slice(1))) * PITCH.y,
    }),
  }
}

/** The roads along which supply is drawn: from nodes it reaches to such nodes and to combats. */
export function supplyEdges(board: LucidBoard): [string, string][] {
  const nodes = new Map(board.nodes.map((node) => [node.place, node]))
  const feeds = (source?: LucidNode, next?: LucidNode) =>
    source?.source && (next?.source || next?.combat)
  return board.roads.filter(([one, other]) => {
    const [a, b] = [nodes.get(one), nodes.get(other)]
    return feeds(a, b) || feeds(b, a)
  })
}

/** An arrow between two nodes for every movement. */
export function arrowsOf(sheet: Sheet, events: GameEvent[]): { d: string; transform: string }[] {
  const moves = events.filter((event) => event.kind === 'move')
  return moves.map((event) => {
    const start = sheet.centre(String(event.from))
    const end = event.to === 'goal' ? { x: start.x, y: GOAL_Y } : sheet.centre(String(event.to))
    const angle = (Math.atan2(end.y - start.y, end.x - start.x) * 180) / Math.PI
    const length = Math.hypot(end.x - start.x, end.y - start.y) - 34
    return {
      d: `M34 -4 H${length - 14} V-11 L${length} 0 L${length - 14} 11 V4 H34 Z`,
      transform: `translate(${start.x} ${start.y}) rotate(${angle})`,
    }
  })
}

/** Units of the mover that may not leave: the server says so. */
export function locked(node: LucidNode, mover: number | null): boolean {
  const own = mover === 0 ? node.blue : mover === 1 ? node.red : 0
  return node.combat !== null && own > node.moved && node.movable === 0
}

/** Units side by side, many of them closer; those that have moved stand on the right. */
export function inARow(units: number, spent: number): { x: number; spent: boolean }[] {
  const pitch = Math.min(33, 66 / Math.max(1, units - 1))
  return Array.from({ length: units }, (_, index) => ({
    x: (index - (units - 1) / 2) * pitch,
    spent: index >= units - spent,
  }))
}

export function nodeWords(node: LucidNode, mover: number | null, supply = true): string {
  if (node.closed) return `${node.place}: closed`
  const units = []
  if (node.blue) units.push(`${node.blue} Blue`)
  if (node.red) units.push(`${node.red} Red`)
  let text = `${node.place}: ${units.join(' and ') || 'empty'}`
  if (locked(node, mover)) text += ', locked in combat'
  if (node.moved) text += `, ${node.moved} moved in this turn`
  if (node.advantage !== 1) text += `, the defender has ${node.advantage} more`
  if (node.depot && node.row > 0) text += ', a depot'
  if (node.combat) {
    text += `, ${node.combat.attacker === 0 ? 'Blue' : 'Red'} attacks`
    if (supply) text += `, Blue ${node.combat.supplied ? 'in' : 'out of'} supply`
    text += `, Red loses a unit with ${Math.round(node.combat.red_loses * 100)}%`
  }
  return text
}
