/** Numbers and names as words on the screen. */

import type { Outcome } from './protocol'

export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const tenth = seconds < 10 ? `.${Math.floor((seconds - whole) * 10)}` : ''
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}${tenth}`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Who has won and why, in one line. */
export function outcomeText(outcome: Outcome, seats: string[], winners: boolean): string {
  if (outcome.forfeited_by !== null) {
    return `${capital(seats[outcome.forfeited_by] ?? 'a seat')} forfeits: ${outcome.reason}`
  }
  const best = Math.max(...outcome.scores)
  const first = seats.filter((_, seat) => outcome.scores[seat] === best)
  if (!winners) return `${scoreText(outcome.scores[0] ?? 0)} for ${seats[0]}: ${outcome.reason}`
  const who = first.length === 1 ? `${capital(first[0] ?? '')} wins` : 'Nobody wins alone'
  return `${who}: ${outcome.reason}`
}

/** A score without more digits than it has. */
export function scoreText(score: number): string {
  return Number.isInteger(score) ? String(score) : score.toFixed(2)
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`
}

/** Words of a label such as `ensureSupply`: ensure supply. */
export function spaced(name: string): string {
  return name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** A value as its scale says it: a chance, a score, or a number of a program's own. */
export function valueText(value: number, scale: 'chance' | 'score' | 'own'): string {
  return scale === 'chance' ? `${(100 * value).toFixed(1)}%` : scoreText(value)
}
