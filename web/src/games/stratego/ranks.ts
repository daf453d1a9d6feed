/** Ranks of Stratego as they are shown: 10 high, or turned round so that 1 is high. */

export const RANKS = ['T', '9', '8', '7', '6', '5', '4', '3', '2', 'S', 'B', 'F']

const WORDS: Record<string, string> = { F: 'flag', B: 'bomb', S: 'spy' }

/** What stands on a tile; `T` is the 10, and null a rank that is not known. */
export function shownRank(rank: string | null, oneHigh: boolean): string {
  if (rank === null) return '?'
  const value = rank === 'T' ? 10 : Number(rank)
  if (!(value >= 2)) return rank
  return String(oneHigh ? 11 - value : value)
}

export function rankWords(rank: string | null, oneHigh: boolean): string {
  return rank === null ? 'unknown piece' : (WORDS[rank] ?? shownRank(rank, oneHigh))
}

/** Of the seats, as the server's screen has them: Red sits first. */
export const COLOURS = ['red', 'blue']
