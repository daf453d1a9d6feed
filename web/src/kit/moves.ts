/** Legal moves as data: what can be taken up, where it can go, what can be done there. */

import type { Barred, Move } from '../lib/protocol'

/** Names of the places from which something can move to another place. */
export function sources(moves: Move[]): Set<string> {
  const found = new Set<string>()
  for (const move of moves) if (move.from) found.add(move.from)
  return found
}

/** Where what stands on a place can go, with the move that takes it there. */
export function targets(moves: Move[], from: string | null): Map<string, Move> {
  const found = new Map<string, Move>()
  if (from === null) return found
  for (const move of moves) {
    if (move.from === from && move.to && move.to !== from) found.set(move.to, move)
  }
  return found
}

/** Moves that stay on a place, such as building there. */
export function onTheSpot(moves: Move[], from: string | null): Move[] {
  if (from === null) return []
  return moves.filter((move) => move.from === from && (!move.to || move.to === from))
}

/** Moves that belong to no place: ending a turn, passing, answering a question. */
export function placeless(moves: Move[]): Move[] {
  return moves.filter((move) => !move.from)
}

/** Where what stands on a place may not go, though it looks as if it could, with the reason. */
export function barredTargets(barred: Barred[], from: string | null): Map<string, string> {
  return new Map(barred.filter((each) => each.from === from).map((each) => [each.to, each.why]))
}
