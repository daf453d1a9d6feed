/** What the server sends, as docs/web-protocol.md describes it. */

export interface Move {
  action: number
  text: string
  kind: string
  from: string | null
  to: string | null
  label: string
}

/** What might be tried and may not be played now. */
export interface Barred {
  from: string
  to: string
  why: string
}

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
  combat: Combat | null
}

export interface LucidBoard {
  game: 'lucid'
  turn: number
  turns: number
  mover: number | null
  goal: number
  capacity: number
  left: [number, number]
  lost: [number, number]
  nodes: LucidNode[]
}

export interface SkirmishUnit {
  place: string
  seat: number
  kind: string
  age: number
  lifespan: number
  raises_in: number | null
}

export interface SkirmishBoard {
  game: 'skirmish'
  side: number
  half_turn: number
  mover: number | null
  land: string[]
  units: SkirmishUnit[]
}

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

export interface StrategoBoard {
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

export interface GravwellBoard {
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
}

/** A game the client has no board for: the server's drawing. */
export interface OtherBoard {
  game: string
  svg: string | null
  text: string | null
}

export type AnyBoard = LucidBoard | SkirmishBoard | StrategoBoard | GravwellBoard | OtherBoard

export interface GameEvent {
  kind: string
  text: string
  [data: string]: unknown
}

export interface LogEntry {
  ply: number
  seat: number
  action: number | null
  text: string | null
  events: GameEvent[]
}

export interface Step extends LogEntry {
  board: AnyBoard
}

export interface Outcome {
  scores: number[]
  reason: string
  forfeited_by: number | null
}

export interface Now {
  ply: number
  turn: number | null
  status: string
  board: AnyBoard
  legal: Move[] | null
  barred: Barred[] | null
  outcome: Outcome | null
  clocks: number[] | null
  thinking: boolean
  paused: boolean
  pace: number
  can: Record<'play' | 'undo_action' | 'undo_turn' | 'resign' | 'rematch' | 'hint', boolean>
  rematch: Rematch
  archive: string | null // where the finished game is kept
}

export interface Rematch {
  offered_by: number[]
  room: string | null
  link: string | null
}

export interface Seat {
  seat: string // its name in the game
  name: string
  kind: 'person' | 'program'
  agent: string | null
}

export interface Room {
  room: string
  game: string
  title: string
  rules: string
  seats: Seat[]
  clock: { minutes: number; increment: number } | null
  hidden: boolean
  winners: boolean
  closing: boolean
  branched: string | null
}

export interface Belief {
  place: string
  ranks: Record<string, number>
}

/** What a program makes of a position, for the seat that is to move. */
export interface Thoughts {
  scale: 'chance' | 'score' | 'own' // what its values are
  value: number | null
  candidates: {
    action: number
    text: string
    value: number | null
    share: number | null // how likely it would play that
    low: number | null
    high: number | null
  }[]
  beliefs: Belief[]
}

export interface HintTold {
  agent: string
  actions: Move[]
  text: string
  thoughts: Thoughts | null
}

export type ServerMessage =
  | {
      type: 'state'
      why: 'join' | 'undo' | 'end'
      room: Room
      you: number | null
      role: 'seat' | 'owner' | 'spectator'
      now: Now
      log: LogEntry[]
      log_first: number
    }
  | { type: 'steps'; steps: Step[]; now: Now }
  | { type: 'presence'; seats: boolean[]; spectators: number }
  | ({ type: 'hint' } & HintTold)
  | ({ type: 'rematch' } & Rematch)
  | { type: 'error'; code: string; text: string; id?: string }
  | { type: 'pong' }

/** What every board component takes. */
export interface BoardProps<Board> {
  board: Board
  moves?: Move[]
  barred?: Barred[]
  events?: GameEvent[] // what led to this board
  onmove?: (move: Move) => void
  onbarred?: (why: string) => void
  flipped?: boolean
  selected?: string | null
  seats?: string[]
  label?: string
}

/** The places that an event speaks of. */
export function eventPlaces(event: GameEvent): string[] {
  return [event.from, event.to, event.place].filter((name) => typeof name === 'string')
}
