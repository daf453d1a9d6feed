/** Tournaments of classes in words. */

import type { ClassGameInfo, ClassPage, Figure } from './protocol'

export const KINDS = { 'round-robin': 'Everybody meets everybody', swiss: 'Swiss' } as const

/** The kind of a tournament inside a sentence. */
export function kindText({ kind }: { kind: keyof typeof KINDS }): string {
  return kind === 'swiss' ? KINDS.swiss : KINDS[kind].toLowerCase()
}

/** Points without more digits than they have: 2, 1½. */
export function pointsText(points: number): string {
  const whole = Math.floor(points)
  return points === whole ? String(points) : `${whole || ''}½`
}

/** A figure with its interval, where there is one. */
export function figureText(figure: Figure | null, digits = 0): string {
  if (!figure) return ''
  const ends = [figure.low, figure.high].map((end) => (end === null ? null : end.toFixed(digits)))
  const value = figure.value.toFixed(digits)
  if (ends[0] === null && ends[1] === null) return value
  return `${value} (${ends[0] ?? 'open'} to ${ends[1] ?? 'open'})`
}

/** How a game of a class stands. */
export function gameState(page: ClassPage, game: ClassGameInfo): string {
  if (game.outcome) return game.outcome.reason
  const missing = game.players.filter((_, seat) => !game.here[seat])
  if (!missing.length) return 'playing'
  return `waiting for ${missing.map((player) => page.entrants[player]?.name).join(' and ')}`
}

/** Where a tournament is: `round 2 of 3`. */
export function roundText(page: ClassPage): string {
  if (page.over) return 'The tournament is over'
  if (!page.round) return 'It has not begun yet'
  return `Round ${page.round}${page.rounds_planned ? ` of ${page.rounds_planned}` : ''}`
}
