/** How a game stands or ended, said to one of those who play it. */

import type { RoomSummary } from './protocol'
import { capital, scoreText } from './words'

type Seat = number | undefined

export const LEVEL = 'level:' // what specs of levels begin with

/** What somebody is called on the screen who holds a seat. */
export function holderName(seat: {
  name: string
  seat?: string
  title?: string
  agent?: string | null
}): string {
  if (seat.agent && !seat.agent.startsWith(LEVEL)) return seat.agent
  const own = seat.name === capital(seat.seat ?? '') ? seat.title : seat.name
  return own || 'somebody'
}

/** Everybody else at the table. */
export function opponentsOf(room: RoomSummary, seat: Seat): string {
  const others = room.seats.filter((_, index) => index !== seat)
  const names = others.map((each) =>
    each.kind === 'person' && each.name === capital(each.seat) ? 'a friend' : holderName(each),
  )
  return [...new Set(names)].join(', ') || 'nobody'
}

export function turnText(room: RoomSummary, seat: Seat): string {
  if (room.turn === null) return room.status
  if (room.turn === seat) return 'Your turn'
  const waited = room.seats[room.turn]
  const name = waited ? holderName(waited) : 'the others'
  return `Waiting for ${name}`
}

export function resultText(room: RoomSummary, seat: Seat): string {
  const outcome = room.outcome
  if (!outcome || seat === undefined) return room.status
  const mine = outcome.scores[seat] ?? 0
  if (outcome.forfeited_by === seat) return 'You gave up'
  if (!room.winners) return `${scoreText(mine)} points`
  const best = Math.max(...outcome.scores)
  const first = outcome.scores.filter((score) => score === best).length
  if (mine < best) return 'You lost'
  return first > 1 ? 'A draw' : 'You won'
}
