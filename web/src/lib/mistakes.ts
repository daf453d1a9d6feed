/** Mistakes in words: how much was given away, in the one unit of the game. */

import type { ArchivedGame, Mistake, Review } from './protocol'
import type { SeatWanted } from './wanted'
import { percent } from './words'
import { yourGames } from './yours'

const PERSON = 'human'
const STAND_IN = 'level:easy' // for people who are not there

type Unit = Pick<Review, 'scale' | 'score_unit'>

export function lossWords(mistake: Mistake, unit: Unit): string {
  const { loss, played_value: played, better_value: better } = mistake
  if (unit.scale === 'chance') {
    const points = Math.max(1, Math.round(100 * loss))
    const unit = points === 1 ? 'percentage point' : 'percentage points'
    return `gave away ${points} ${unit} of the chance to win: ${percent(played)} instead of ${percent(better)}`
  }
  return `gave away ${loss.toFixed(1)} ${unit.score_unit}: ${played.toFixed(1)} to be expected instead of ${better.toFixed(1)}`
}

/** What was given away in all turns together, and in one of them on average. */
export function sumWords(review: Review): string {
  const { given_away: total, judged } = review
  const each = judged > 0 ? total / judged : 0
  if (review.scale === 'chance') {
    const points = (share: number, digits: number) => (100 * share).toFixed(digits)
    return `${points(total, 0)} percentage points of the chance to win, ${points(each, 1)} a turn`
  }
  return `${total.toFixed(1)} ${review.score_unit}, ${each.toFixed(2)} a turn`
}

/** The seat of whoever looks: as this browser remembers, else the first person's. */
export function ownSeat(game: ArchivedGame): number {
  const mine = yourGames().find((each) => each.archive === game.id)?.seat
  return mine ?? Math.max(0, game.players.indexOf(PERSON))
}

/** The seats of a game played on by somebody in one of them, the others as they were. */
export function seatsAgain(game: ArchivedGame, seat: number, name: string): SeatWanted[] {
  return game.players.map((player, index) => {
    if (index === seat) return { person: name.trim() }
    return { agent: player === PERSON ? STAND_IN : player }
  })
}
