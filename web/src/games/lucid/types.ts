/** What the server sends of Operation Lucid, as docs/web-protocol.md describes it. */

import type { Board } from '../../lib/protocol'

export interface Combat {
  attacker: number
  supplied: boolean
  red_loses: number
}

export interface LucidNode {
  place: string
  column: number
  row: number
  blue: number
  red: number
  moved: number
  movable: number
  room: number
  source: boolean
  closed: boolean // nothing can enter
  depot: boolean // supply comes from here
  advantage: number // what the defender has more
  combat: Combat | null
}

export interface LucidBoard extends Board {
  game: 'lucid'
  turn: number
  turns: number
  mover: number | null
  goal: number
  capacity: number
  left: [number, number]
  lost: [number, number]
  columns: number
  rows: number
  units: [number, number] // at the start
  supply: boolean // Blue needs it
  roads: [string, string][]
  exits: string[] // nodes with a road into the goal
  nodes: LucidNode[]
}

/** A scenario as its file says it. */
export interface ScenarioValues {
  title: string
  about: string
  board: string[] // rows from the top down, a word for each node
  turns: number
  capacity: number
  closed_roads: string[]
  defender: number | Record<string, number>
  right_to_move: string | number
  first: string
  supply: string | string[]
  penalty: number
}

export interface BundledScenario extends ScenarioValues {
  name: string
  spec: string
}

/** What the server says of a scenario; of a sound one also how to play and to keep it. */
export interface CheckedScenario {
  problems: string[]
  spec?: string
  file?: string
  values?: ScenarioValues
  board?: LucidBoard
}

export interface Groups {
  groups: {
    key: string
    nodes: string[]
    units: number[] | number
    features: Record<string, number>
    categories: Record<string, number>
  }[]
}

export interface LabelFile {
  games: {
    place: number
    id: string
    players: string[]
    score: number
    turns: number
    corrected: number
  }[]
  categories: string[]
  counts: Record<string, number>
}

export interface LabelGame {
  place: number
  id: string
  players: string[]
  turns: { number: number; seat: number; text: string; groups: number }[]
}

export interface LabelTurn {
  number: number
  seat: number
  text: string
  before: LucidBoard
  moves: { from: string; to: string; units: number }[]
  groups: {
    key: string
    nodes: string[]
    units: number[] | number
    labels: string[]
    corrected: boolean
  }[]
}

/** What retraining the semantic agent came to. */
export interface Retrained {
  run: string
  weights: string
  accuracy: Record<string, { held_out: number; training_data: number }>
}
