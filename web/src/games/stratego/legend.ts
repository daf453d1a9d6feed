/** The pieces of Stratego and what they can do. */

import type { LegendEntry } from '../../lib/boards'
import { rankWords } from './ranks'
import StrategoTile from './StrategoTile.svelte'

const POWERS: Record<string, string> = {
  F: 'Never moves. Whoever takes it wins the game.',
  B: 'Never moves. Beats every attacker but the miner (3).',
  S: 'Beats the 10 if it attacks; loses to everybody else.',
  '2': 'Scout: goes any distance over empty squares.',
  '3': 'Miner: the only one that removes bombs.',
  T: 'The highest: beats all but a bomb; falls to an attacking spy.',
}
const NAMES: Record<string, string> = { T: '10, the marshal', '2': '2, the scout', '3': '3, the miner' }

/** What a piece can do; of one that is not known, what it could be. */
export function powersOf(rank: string | null): string {
  if (rank === null) return 'Its rank is seen only when it fights.'
  return POWERS[rank] ?? 'Beats lower ranks, falls to higher ones; equal ranks both fall.'
}

export const legend: LegendEntry[] = ['T', '9', '3', '2', 'S', 'B', 'F'].map((rank) => ({
  name: NAMES[rank] ?? (rank === '9' ? '9 to 4' : capital(rankWords(rank, false))),
  powers: powersOf(rank),
  part: StrategoTile as never,
  props: { seat: 0, rank },
}))

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
