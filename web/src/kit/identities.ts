/** Which piece is which from one board to the next, so that a move is seen as a movement. */

import type { GameEvent } from '../lib/protocol'

export interface Standing {
  place: string
  seat: number
}

export interface Step {
  from: string
  to: string
}

/** The last movement from one place to another that events tell of. */
export function lastStep(events: GameEvent[]): Step | null {
  const found = events.findLast((event) => event.from && event.to && event.from !== event.to)
  return found ? { from: String(found.from), to: String(found.to) } : null
}

/**
 * Give every piece a number that it keeps: pieces that stay keep theirs, and the one that moved
 * takes its number along. Whatever else is new gets a new number.
 */
export class Identities {
  private numbers = new Map<string, { id: number; seat: number }>()
  private next = 0

  follow<Piece extends Standing>(pieces: Piece[], step: Step | null): (Piece & { id: number })[] {
    const before = this.numbers
    const after = new Map<string, { id: number; seat: number }>()
    const mover = step ? before.get(step.from) : undefined
    const found = pieces.map((piece) => {
      const stood = before.get(piece.place)
      let id: number
      if (mover && step && piece.place === step.to && piece.seat === mover.seat) id = mover.id
      else if (stood && stood.seat === piece.seat && stood !== mover) id = stood.id
      else id = this.next++
      after.set(piece.place, { id, seat: piece.seat })
      return { ...piece, id }
    })
    this.numbers = after
    return found.sort((a, b) => a.id - b.id)
  }
}
