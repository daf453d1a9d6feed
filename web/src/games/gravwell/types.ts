/** What the server sends of Gravwell, as docs/web-protocol.md describes it. */

import type { Board } from '../../lib/protocol'

export interface Card {
  name: string
  value: number
  kind: 'normal' | 'repulsor' | 'tractor'
}

export interface GravwellPlayer {
  seat: number
  tile: number
  can_stop: boolean
  open: Card[]
  secret: (Card | null)[]
  played: Card[]
  table: Card | null
  covered: boolean
  resolving: boolean
}

export interface GravwellBoard extends Board {
  game: 'gravwell'
  round: number
  rounds: number
  turn: number
  phase: 'draft' | 'play' | 'stop' | 'over'
  mover: number | null
  tiles: number
  inert: boolean
  ships: { seat: number | null; tile: number }[]
  players: GravwellPlayer[]
  stacks: { visible: Card; hidden: Card | null }[]
  order: number[]
  last: Card[] | null
  current: Card | null
  arrival: number | null // where it would take its owner
}
