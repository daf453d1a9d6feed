/** The map sheet of Operation Lucid: where things lie, and words for what stands on a node. */

import type { GameEvent } from '../../lib/protocol'
import type { LucidBoard, LucidNode } from './types'

export const WIDTH = 700
export const HEIGHT = 744
export const GOAL_Y = 50
export const BASE_Y = 704 // supply comes from the base

const COLUMNS = 'abcde'

export interface Point {
  x: number
  y: number
}

export function centre(name: string): Point {
  return { x: 94 + COLUMNS.indexOf(name[0] ?? 'a') * 128, y: 636 - (Number(name[1]) - 1) * 116 }
}

/** The edges between nodes as pairs of names, the southern or western one first. */
export const EDGES = COLUMNS.split('').flatMap((column, index) =>
  [1, 2, 3, 4, 5].flatMap((row) => {
    const found: [string, string][] = []
    const east = COLUMNS[index + 1]
    if (east) found.push([`${column}${row}`, `${east}${row}`])
    if (row < 5) found.push([`${column}${row}`, `${column}${row + 1}`])
    return found
  }),
)

/** The edges along which supply is drawn: from nodes it reaches to such nodes and to combats. */
export function supplyEdges(board: LucidBoard): [string, string][] {
  const nodes = new Map(board.nodes.map((node) => [node.place, node]))
  const feeds = (source?: LucidNode, next?: LucidNode) =>
    source?.source && (next?.source || next?.combat)
  return EDGES.filter(([one, other]) => {
    const [a, b] = [nodes.get(one), nodes.get(other)]
    return feeds(a, b) || feeds(b, a)
  })
}

/** An arrow between two nodes for every movement. */
export function arrowsOf(events: GameEvent[]): { d: string; transform: string }[] {
  const moves = events.filter((event) => event.kind === 'move')
  return moves.map((event) => {
    const start = centre(String(event.from))
    const end = event.to === 'goal' ? { x: start.x, y: GOAL_Y } : centre(String(event.to))
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

/** Units side by side; those that have moved stand on the right. */
export function inARow(units: number, spent: number): { x: number; spent: boolean }[] {
  return Array.from({ length: units }, (_, index) => ({
    x: (index - (units - 1) / 2) * 33,
    spent: index >= units - spent,
  }))
}

export function nodeWords(node: LucidNode, mover: number | null): string {
  const units = []
  if (node.blue) units.push(`${node.blue} Blue`)
  if (node.red) units.push(`${node.red} Red`)
  let text = `${node.place}: ${units.join(' and ') || 'empty'}`
  if (locked(node, mover)) text += ', locked in combat'
  if (node.moved) text += `, ${node.moved} moved in this turn`
  if (node.combat) {
    text += `, ${node.combat.attacker === 0 ? 'Blue' : 'Red'} attacks`
    text += `, Blue ${node.combat.supplied ? 'in' : 'out of'} supply`
    text += `, Red loses a unit with ${Math.round(node.combat.red_loses * 100)}%`
  }
  return text
}
