// Made by scripts/protocol_types.py from the schemas of the server: not to be edited.

// --- What the browser asks for over HTTP.

/** Who takes a seat: a person or a program. */
export interface NewSeat {
  person?: string | null
  agent?: string | null
}

/** Time for the whole game, and what is added after every turn. */
export interface ClockWanted {
  minutes: number
  increment?: number
}

/** A game of the archive after so many actions. */
export interface BranchPoint {
  archive: string
  ply: number
}

/** A room to be made. */
export interface NewRoom {
  game: string
  seats: NewSeat[]
  clock?: ClockWanted | null
  pace?: number
  listed?: boolean
  start?: BranchPoint | null
}

/** A match to be played in the background. */
export interface NewMatch {
  game: string
  agents: string[]
  games: number
  seed?: number
  rotate?: boolean
}

/** A tournament in the background; in a gauntlet the first agent meets all others. */
export interface NewTournament {
  game: string
  agents: string[]
  deals?: number
  seed?: number
  rotate?: boolean
  kind?: 'round-robin' | 'gauntlet'
}

/** What is to be found out about a position of a finished or open game. */
export interface Question {
  what: string
  archive?: string | null
  room?: string | null
  ply?: number
  agent?: string | null
  seat?: number | null
  playouts?: number
}

/** Records to be kept, as JSON lines. */
export interface RecordLines {
  lines: string
}

// --- What the server answers over HTTP.

/** What a server is. */
export interface About {
  version: string
  key_needed: boolean
  external_allowed: boolean
}

/** A game with options that a menu offers. */
export interface GamePreset {
  spec: string
  title: string
}

/** One of the values of an option. */
export interface OptionChoice {
  value: string
  title: string
}

/** An option of a game in a form; without choices it is a number or text. */
export interface GameOption {
  name: string
  title: string
  meaning: string
  default: string
  choices: OptionChoice[] | null
  least: number | null
  most: number | null
}

/** What a game itself answers about a position. */
export interface GameQuestion {
  name: string
  title: string
}

/** A game that can be played. */
export interface GameInfo {
  name: string
  title: string
  summary: string
  hidden: boolean
  chance: boolean
  winners: boolean
  presets: GamePreset[]
  options: GameOption[]
  questions: GameQuestion[]
  seat_colours: string[]
}

/** A game with its options. */
export interface GameFacts {
  spec: string
  name: string
  title: string
  seats: string[]
  hidden: boolean
  chance: boolean
  winners: boolean
  seat_colours: string[]
}

/** The rules of a game as Markdown. */
export interface Rules {
  text: string
}

/** An agent, and the seats it can take; with values it can judge positions. */
export interface AgentInfo {
  name: string
  summary: string
  seats: string[]
  explains: boolean
  values: boolean
}

/** The way to a seat, for one person. */
export interface SeatLink {
  seat: string
  name: string
  token: string
  link: string
}

/** A new room with everybody's way to it. */
export interface RoomLinks {
  room: string
  owner: string
  watch: string
  seats: SeatLink[]
}

/** A room and how its game stands. */
export interface RoomSummary extends RoomFacts {
  ply: number
  over: boolean
  status: string
  outcome: Outcome | null
  archive: string | null
  spectators: number
}

/** A part of what was played in a room. */
export interface LogPage {
  first: number
  total: number
  entries: LogEntry[]
}

/** A finished game. */
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
  seat_colours: string[]
}

/** The board before the first of some steps, and who is to act there. */
export interface StartFrame {
  ply: number
  turn: number | null
  board: Board
}

/** A step of a finished game, and who is to act after it. */
export interface ReplayStep extends Step {
  turn: number | null
}

/** A part of a finished game. */
export interface Steps {
  first: number
  total: number
  start: StartFrame
  steps: ReplayStep[]
}

/** What became of records that somebody brought. */
export interface Uploaded {
  added: number
  known: number
  ids: string[]
  problems: string[]
}

/** How far a job has come; a training has the name of its run. */
export interface JobProgress {
  done?: number | null
  total?: number | null
  run?: string | null
}

/** Work in the background; what its progress and result hold depends on its kind. */
export interface Job {
  job: string
  kind: string
  title: string
  status: string
  progress: JobProgress | null
  result: unknown
  error: string | null
  seconds: number
}

/** What an agent would play, and why. */
export interface MoveAnswer {
  actions: number[]
  text: string
  explanation: string | null
  svg: string | null
}

/** What an agent thinks of a position, or random playouts say; for the seat that is to move. */
export interface Candidates extends Thoughts {
  by: string | null
  seat: number
  playouts: number | null
}

/** What a position is worth to every seat; null where a seat has no opinion then. */
export interface CurvePoint {
  ply: number
  means: (number | null)[]
  lows: number[] | null
  highs: number[] | null
}

/** What the positions of a game were worth. */
export interface Curve {
  by: string | null
  scale: 'chance' | 'score' | 'own'
  seats: string[]
  points: CurvePoint[]
}

/** A training run. */
export interface TrainingRun {
  run: string
  lines: number
  running: boolean
  columns: string[]
}

/** What a training run wrote down. */
export interface TrainingCurve {
  run: string
  config: Record<string, unknown>
  columns: string[]
  rows: ((number | null)[])[]
  total: number
}

// --- What the browser says over a WebSocket.

/** Any message of a client; its id comes back with an error. */
export interface FromClient {
  id?: string | null
}

/** The first message: who this is. */
export interface Join extends FromClient {
  type: 'join'
  token?: string | null
}

/** Legal actions in a row. */
export interface Play extends FromClient {
  type: 'play'
  ply: number
  actions: number[]
}

/** Take back an action of the open turn, or the last own turn. */
export interface Undo extends FromClient {
  type: 'undo'
  ply: number
  scope: 'action' | 'turn'
}

/** Give the game up. */
export interface Resign extends FromClient {
  type: 'resign'
}

/** Offer or accept another game. */
export interface Rematch extends FromClient {
  type: 'rematch'
}

/** Ask what a program would play. */
export interface Hint extends FromClient {
  type: 'hint'
  agent?: string | null
}

/** Change how fast programs play. */
export interface Pace extends FromClient {
  type: 'pace'
  paused?: boolean | null
  seconds?: number | null
}

/** Break the game off. */
export interface Stop extends FromClient {
  type: 'stop'
}

/** Ask whether the server is there. */
export interface Ping extends FromClient {
  type: 'ping'
}

// --- What the server says over a WebSocket.

/** How a game ended. */
export interface Outcome {
  scores: number[]
  reason: string
  forfeited_by: number | null
}

/** Something the viewer can play now. */
export interface LegalAction {
  action: number
  text: string
  kind: string
  from: string | null
  to: string | null
  label: string
}

/** Something the viewer might try and may not play now. */
export interface BarredMove {
  from: string
  to: string
  why: string
}

/** Something that happened; what else it holds depends on the game. */
export interface GameEvent {
  kind: string
  text: string
  [data: string]: unknown
}

/** What there is to see; what else it holds depends on the game. */
export interface Board {
  game: string
  [data: string]: unknown
}

/** One action, as far as the viewer may know it. */
export interface LogEntry {
  ply: number
  seat: number
  action: number | null
  text: string | null
  events: GameEvent[]
}

/** One action with the board after it. */
export interface Step extends LogEntry {
  board: Board
}

/** What the viewer can do now. */
export interface Allowed {
  play: boolean
  undo_action: boolean
  undo_turn: boolean
  resign: boolean
  rematch: boolean
  hint: boolean
}

/** Who wants another game, and where it is. */
export interface RematchState {
  offered_by: number[]
  room: string | null
  link: string | null
}

/** The present, as the viewer may see it. */
export interface Now {
  ply: number
  turn: number | null
  status: string
  board: Board
  legal: LegalAction[] | null
  barred: BarredMove[] | null
  outcome: Outcome | null
  clocks: number[] | null
  thinking: boolean
  paused: boolean
  pace: number
  can: Allowed
  rematch: RematchState
  archive: string | null
}

/** Who sits where. */
export interface SeatFacts {
  seat: string
  name: string
  kind: 'person' | 'program'
  agent: string | null
}

/** How long everybody may think. */
export interface ClockFacts {
  minutes: number
  increment: number
}

/** What does not change in a room. */
export interface RoomFacts {
  room: string
  game: string
  title: string
  rules: string
  seats: SeatFacts[]
  clock: ClockFacts | null
  hidden: boolean
  winners: boolean
  closing: boolean
  branched: string | null
  seat_colours: string[]
}

/** The whole state. */
export interface StateMessage {
  type: 'state'
  why: 'join' | 'undo' | 'end'
  room: RoomFacts
  you: number | null
  role: 'seat' | 'owner' | 'spectator'
  now: Now
  log: LogEntry[]
  log_first: number
}

/** What was played. */
export interface StepsMessage {
  type: 'steps'
  steps: Step[]
  now: Now
}

/** Who is there. */
export interface PresenceMessage {
  type: 'presence'
  seats: boolean[]
  spectators: number
}

/** A move that a program thought about. */
export interface Thought {
  action: number
  text: string
  value: number | null
  share: number | null
  low: number | null
  high: number | null
}

/** What a program believes of a place. */
export interface Belief {
  place: string
  ranks: Record<string, number>
}

/** What a program makes of the view of whoever asks. */
export interface Thoughts {
  scale: 'chance' | 'score' | 'own'
  value: number | null
  candidates: Thought[]
  beliefs: Belief[]
}

/** What a program would play, and why if it can tell. */
export interface HintMessage {
  type: 'hint'
  agent: string
  actions: LegalAction[]
  text: string
  thoughts: Thoughts | null
}

/** Somebody wants another game, or it is there. */
export interface RematchMessage extends RematchState {
  type: 'rematch'
}

/** What was asked for cannot be done. */
export interface ErrorMessage {
  type: 'error'
  code: 'shape' | 'stale' | 'turn' | 'illegal' | 'not_allowed' | 'over' | 'busy' | 'token' | 'rate'
  text: string
  id?: string | null
}

/** The server is there. */
export interface PongMessage {
  type: 'pong'
}

export type ClientMessage = Join | Play | Undo | Resign | Rematch | Hint | Pace | Stop | Ping

export type ServerMessage =
  | StateMessage
  | StepsMessage
  | PresenceMessage
  | HintMessage
  | RematchMessage
  | ErrorMessage
  | PongMessage
