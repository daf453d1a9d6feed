/** A person's series, kept in this browser: the rooms of its games, in order. */

import { readChoice, writeChoice } from './settings.svelte'

export interface SeriesGame {
  room: string
  archive?: string // once it is over
}

const PREFIX = 'series.'
const INDEX = 'series' // the names of those begun

/** The games of a series so far. */
export function seriesGames(name: string): SeriesGame[] {
  try {
    const kept = JSON.parse(readChoice(PREFIX + name) ?? '[]') as unknown
    return Array.isArray(kept) ? (kept as SeriesGame[]).filter((each) => each?.room) : []
  } catch {
    return []
  }
}

export function keepSeries(name: string, games: SeriesGame[]): void {
  writeChoice(PREFIX + name, JSON.stringify(games))
  writeChoice(INDEX, JSON.stringify([...new Set([...begunSeries(), name])]))
}

function begunSeries(): string[] {
  try {
    const kept = JSON.parse(readChoice(INDEX) ?? '[]') as unknown
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

/** The series that a room belongs to, as `game/name`; empty: none. */
export function seriesOf(room: string): string {
  return begunSeries().find((name) => seriesGames(name).some((game) => game.room === room)) ?? ''
}
