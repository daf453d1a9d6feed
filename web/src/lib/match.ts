/** The result of a match, as docs/match-results.md describes it. */

export interface Row {
  seat?: string
  agent: string | null
  mean: number
  low: number | null
  high: number | null
  adjusted_mean?: number
  adjusted_low?: number | null
  adjusted_high?: number | null
  win_share?: number
  win_share_low?: number
  win_share_high?: number
  rating?: number
  rating_low?: number
  rating_high?: number
  forfeits: number
}

export interface Match {
  game: string
  games: number
  games_wanted: number
  seats: Row[]
  agents?: Row[]
  timing?: { seconds: number; games_per_second: number }
}

/** The rows to show: of agents if seats were rotated, else of seats. */
export function rowsOf(match: Match): Row[] {
  return match.agents ?? match.seats
}

/** A number with its interval: `4.12 [3.98, 4.26]`. */
export function withInterval(
  value: number | null | undefined, // null: nothing can be said yet
  low: number | null | undefined,
  high: number | null | undefined,
  text: (number: number) => string,
): string {
  if (value == null) return ''
  if (low == null || high == null) return text(value)
  return `${text(value)} [${text(low)}, ${text(high)}]`
}

/** A number with its interval, as tournaments write it. */
export interface Estimate {
  mean: number | null // null: nothing is known yet
  low: number | null
  high: number | null
}

/** The result of a tournament, as docs/tournaments.md describes it. */
export interface Tournament {
  games: number
  games_wanted: number
  complete: boolean
  standings: {
    agent: string
    games: number
    score?: Estimate
    wins?: Estimate
    behind?: Estimate
    rating?: { rating: number | null; low: number | null; high: number | null }
  }[]
  cross_table: ({ agent: string; other: string } & Estimate)[]
  cycles: { agents: string[]; sure: boolean }[]
  notes: string[]
}

export function isTournament(result: Match | Tournament): result is Tournament {
  return 'standings' in result
}
