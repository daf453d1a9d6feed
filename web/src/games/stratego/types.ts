/** What the server sends of Stratego, as docs/web-protocol.md describes it. */

import type { Belief, Board } from '../../lib/protocol'

export interface StrategoPiece {
  place: string
  seat: number
  rank: string | null
  known: boolean
  moved: boolean
}

export interface StrategoSetup {
  places: string[]
  left: Record<string, number>
  decided: number
  actions: Record<string, number>
}

export interface StrategoBoard extends Board {
  game: 'stratego'
  variant: string
  side: number
  mover: number | null
  move: number
  quiet: number
  quiet_limit: number
  setting_up: boolean
  lakes: string[]
  pieces: StrategoPiece[]
  last_moves: ({ from: string; to: string } | null)[]
  lost: string[][]
  left: Record<string, number>[]
  army: Record<string, number>
  setup: StrategoSetup | null
}

export interface SetupInfo {
  name: string
  rows: string[]
  idea: string
  saved: boolean
}

export interface Beliefs {
  seat: number
  pieces: Belief[]
}
