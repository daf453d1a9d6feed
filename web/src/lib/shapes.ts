/** Answers of the HTTP interface, as docs/web-protocol.md describes them. */

import type { AnyBoard, Belief, Outcome, Seat, Step, Thoughts } from './protocol'

export interface About {
  version: string
  key_needed: boolean
  external_allowed: boolean
}

export interface GameInfo {
  name: string
  title: string
  summary: string
  hidden: boolean
  chance: boolean
  winners: boolean
  presets: { spec: string; title: string }[]
  options?: GameOption[]
}

export interface GameOption {
  name: string
  title: string
  meaning: string
  default: string
  choices: { value: string; title: string }[] | null
  least?: number | null
  most?: number | null
}

export interface GameFacts {
  spec: string
  name: string
  title: string
  seats: string[]
  hidden: boolean
  chance: boolean
  winners: boolean
}

export interface AgentInfo {
  name: string
  summary: string
  seats: string[]
  explains: boolean
  values: boolean // it can judge positions
}

export interface SetupInfo {
  name: string
  rows: string[]
  idea: string
  saved: boolean
}

export interface RoomLinks {
  room: string
  owner: string
  watch: string
  seats: { seat: string; name: string; token: string; link: string }[]
}

export interface RoomSummary {
  room: string
  game: string
  title: string
  seats: Seat[]
  ply: number
  status: string
  outcome: Outcome | null
  archive: string | null
}

export interface ArchivedGame {
  id: string
  game: string
  title: string
  seats: string[]
  players: string[]
  names: string[]
  outcome: Outcome | null
  plies: number
  number: number
  experiment: string
}

export interface Steps {
  first: number
  total: number
  start: { board: AnyBoard; status?: string }
  steps: Step[]
}

export interface Job<Result = unknown> {
  job: string
  kind: string
  title: string
  status: string
  progress: { done?: number; total?: number; run?: string } | null
  result: Result | null
  error: string | null
  seconds: number
}

export interface MoveAnswer {
  actions: number[]
  text: string
  explanation: string | null
  svg: string | null
}

export type Scale = Thoughts['scale']

export interface Candidates extends Thoughts {
  by: string | null // null: random playouts
  seat: number // for which the values are
  playouts: number | null
}

export interface Curve {
  by: string | null
  scale: Scale
  seats: string[]
  points: { ply: number; means: (number | null)[]; lows: number[] | null; highs: number[] | null }[]
}

export interface Beliefs {
  seat: number
  pieces: Belief[]
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
  before: AnyBoard
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

export interface TrainingRun {
  run: string
  lines: number
  running: boolean
  columns: string[]
}

export interface TrainingCurve {
  run: string
  config: Record<string, unknown>
  columns: string[]
  rows: (number | null)[][]
  total: number
}
