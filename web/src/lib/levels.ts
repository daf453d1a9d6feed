/** Which level is proposed to whom. */

import type { LevelInfo } from './protocol'
import { hasFinished } from './yours'
import { readChoice, writeChoice } from './settings.svelte'

/** The level to propose: easy for a newcomer, else the one last chosen for this game. */
export function proposedLevel(game: string, levels: LevelInfo[]): string {
  const last = hasFinished() ? readChoice(`level.${game}`) : null
  const names = levels.map((level) => level.name)
  if (last !== null && names.includes(last)) return last
  return names.includes('easy') ? 'easy' : (names[0] ?? '')
}

export function keepLevel(game: string, level: string): void {
  writeChoice(`level.${game}`, level)
}
