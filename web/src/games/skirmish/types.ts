/** What the server sends of Skirmish, as docs/web-protocol.md describes it. */

import type { Board } from '../../lib/protocol'

export interface SkirmishUnit {
  place: string
  seat: number
  kind: string
  age: number
  lifespan: number
  raises_in: number | null
}

export interface SkirmishBoard extends Board {
  game: 'skirmish'
  side: number
  half_turn: number
  mover: number | null
  land: string[]
  units: SkirmishUnit[]
}
