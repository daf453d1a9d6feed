/** Legal moves as data: what can be taken up, where it can go, what can be done there. */

import type { BarredMove, LegalAction } from '../lib/protocol'

/** Names of the places from which something can move to another place. */
export function sources(moves: LegalAction[]): Set<string> {
  const found = new Set<string>()
  for (const move of moves) if (move.from) found.add(move.from)
  return found
}

/** Where what stands on a place can go, with the move that takes it there. */
export function targets(moves: LegalAction[], from: string | null): Map<string, LegalAction> {
  const found = new Map<string, LegalAction>()
  if (from === null) return found
  for (const move of moves) {
    if (move.from === from && move.to && move.to !== from) found.set(move.to, move)
  }
  return found
}

/** Moves that stay on a place, such as building there. */
export function onTheSpot(moves: LegalAction[], from: string | null): LegalAction[] {
  if (from === null) return []
  return moves.filter((move) => move.from === from && (!move.to || move.to === from))
}

/** Moves that belong to no place: ending a turn, passing, answering a question. */
export function placeless(moves: LegalAction[]): LegalAction[] {
  return moves.filter((move) => !move.from)
}

/** Moves with one place only, such as putting a stone there, by that place. */
export function onePlace(moves: LegalAction[]): Map<string, LegalAction[]> {
  const found = new Map<string, LegalAction[]>()
  for (const move of moves) {
    const place = move.from ?? move.to
    if (!place || (move.from && move.to && move.from !== move.to)) continue
    found.set(place, [...(found.get(place) ?? []), move])
  }
  return found
}

/** All moves between the same places as one of them: there is something to choose. */
export function sameChoice(moves: LegalAction[], move: LegalAction): LegalAction[] {
  const ends = (each: LegalAction) => `${each.from ?? each.to} ${each.to ?? each.from}`
  return moves.filter((each) => ends(each) === ends(move))
}

/** Whether a move is played by touching places that a drawing has. */
export function touchable(move: LegalAction, places: Set<string>): boolean {
  const named = [move.from, move.to].filter((place) => place !== null)
  return named.length > 0 && named.every((place) => places.has(place))
}

/** Where what stands on a place may not go, though it looks as if it could, with the reason. */
export function barredTargets(barred: BarredMove[], from: string | null): Map<string, string> {
  return new Map(barred.filter((each) => each.from === from).map((each) => [each.to, each.why]))
}
