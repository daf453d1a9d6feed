// Made by scripts/protocol_types.py from the schemas of the server: not to be edited.

// --- What the browser asks for over HTTP.

/** Who takes a seat: a person or a program. */
export interface NewSeat {
  person?: string | null
  agent?: string | null
  open?: boolean
}

/** Somebody who takes an open seat, or with its token gives their own a name. */
export interface SeatClaim {
  name?: string
  token?: string | null
}

/** The answer to a puzzle; without an action it is given up. */
export interface PuzzleMoveChosen {
  action?: number | null
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

/** A tournament of a class to be made. */
export interface NewClass {
  title?: string
  game: string
  kind?: 'round-robin' | 'swiss'
  both_sides?: boolean
  clock?: ClockWanted | null
  listed?: boolean
}

/** Somebody who takes part in a tournament, or wants another name there. */
export interface ClassEntry {
  name: string
}

/** A program that takes part. */
export interface ClassProgram {
  agent: string
}

/** Somebody does not come: the seat forfeits, or an agent plays there instead. */
export interface ClassDecision {
  room: string
  seat: number
  agent?: string | null
}

/** Whether a player is to be paired in the rounds that come. */
export interface PlayerState {
  gone: boolean
  and_later?: boolean
}

/** Whether others may come into a class. */
export interface EntryState {
  closed: boolean
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

/** Whose mistakes are to be found; null: those of the first person. */
export interface ReviewWanted {
  seat?: number | null
}

/** Words about a position of a finished game, and perhaps what could be played there. */
export interface NewNote {
  ply: number
  text?: string
  moves?: string
  actions?: number[]
}

/** Records to be kept, as JSON lines. */
export interface RecordLines {
  lines: string
}

// --- What the server answers over HTTP about games and agents.

/** What a server is. */
export interface About {
  version: string
  key_needed: boolean
  external_allowed: boolean
  addresses: string[]
}

/** A game with options that a menu offers, and who sits where in it ('you', or an agent). */
export interface GamePreset {
  spec: string
  title: string
  seats: string[]
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

/** Games against the same opponent, whose mean stands beside somebody else's. */
export interface GameSeries {
  name: string
  title: string
  spec: string
  seats: string[]
  games: number
  about: string
  beside: number | null
  beside_low: number | null
  beside_high: number | null
  beside_name: string
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
  series: GameSeries[]
  seat_colours: string[]
}

/** An opponent: what it is called, who plays in each seat, and its rating where measured. */
export interface LevelInfo {
  name: string
  title: string
  about: string[]
  rating: number | null
}

/** A game with its options, and its opponents, the weakest first. */
export interface GameFacts {
  spec: string
  name: string
  title: string
  seats: string[]
  titles: string[]
  hidden: boolean
  chance: boolean
  winners: boolean
  seat_colours: string[]
  levels: LevelInfo[]
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
  weights: string[]
}

// --- What the server answers about rooms.

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
  turn: number | null
  made_at: number
  open_seats: number[]
}

/** A part of what was played in a room. */
export interface LogPage {
  first: number
  total: number
  entries: LogEntry[]
}

/** How strong somebody is at a game, by games against levels. */
export interface PersonRating {
  game: string
  title: string
  rating: number
  low: number | null
  high: number | null
  reason: string
  games: number
}

// --- What the server answers about tournaments of a class.

/** A tournament of a class. */
export interface ClassSummary {
  name: string
  title: string
  made_at: number
  game: string
  game_title: string
  kind: 'round-robin' | 'swiss'
  players: number
  round: number
  over: boolean
}

/** A new tournament with the way to it, for guests and for its host. */
export interface ClassLinks {
  name: string
  host: string
  link: string
  host_link: string
}

/** Somebody who takes part. */
export interface ClassEntrant {
  name: string
  kind: 'person' | 'program'
  gone: boolean
}

/** A game of a meeting: who sits where, who has come, and how it ended. */
export interface ClassGameInfo {
  room: string
  players: number[]
  here: boolean[]
  replaced: boolean[]
  outcome: Outcome | null
  archive: string | null
}

/** Two players in one round, with their points once all is played. */
export interface ClassMeeting {
  players: number[]
  points: number[] | null
  games: ClassGameInfo[]
}

/** One round. */
export interface ClassRoundInfo {
  meetings: ClassMeeting[]
  byes: number[]
  over: boolean
}

/** A figure with its interval; an end that is open or not known is null. */
export interface Figure {
  value: number
  low: number | null
  high: number | null
}

/** How one player stands. */
export interface ClassStanding {
  player: number
  place: number
  points: number
  meetings: number
  won: number
  drawn: number
  lost: number
  byes: number
  tie_break: number
  rating: Figure | null
  share: Figure | null
  score: Figure | null
}

/** Who plays whom, all results and the standings. */
export interface ClassPage extends ClassSummary {
  rules: string
  winners: boolean
  seats: string[]
  seat_colours: string[]
  both_sides: boolean
  clock: ClockFacts | null
  rounds_planned: number | null
  joinable: boolean
  listed: boolean
  closed: boolean
  entrants: ClassEntrant[]
  rounds: ClassRoundInfo[]
  standings: ClassStanding[]
  tie_break: string
  notes: string[]
}

/** What somebody gets who takes part. */
export interface ClassToken {
  player: number
  name: string
  token: string
}

/** The way to one's own game. */
export interface ClassGameLink {
  room: string
  link: string
}

/** Who somebody is in a class, and the way to their open games. */
export interface ClassSelf {
  host: boolean
  player: number | null
  games: ClassGameLink[]
}

// --- What the server answers about puzzles.

/** The puzzles of a game, by names that stay the same; the first is number 1. */
export interface PuzzleSet {
  game: string
  title: string
  puzzles: string[]
}

/** A puzzle as its seat may see it: the board, what can be answered, and what is asked. */
export interface PuzzleFacts {
  id: string
  number: number
  total: number
  game: string
  spec: string
  title: string
  seat: number
  titles: string[]
  seat_colours: string[]
  task: string
  progress: string
  board: Board
  legal: LegalAction[]
}

/** A little of the answer: words, and a place of the board if there is one. */
export interface PuzzleHint {
  text: string
  place: string | null
}

/** A move of a puzzle, and what it is worth to the seat. */
export interface PuzzleMove {
  text: string
  label: string
  value: number
}

/** What is said of an answer; the solution only if it was found or given up. */
export interface PuzzleVerdict {
  right: boolean
  text: string
  solution: LegalAction | null
  unit: 'chance' | 'score'
  margin: number | null
  moves: PuzzleMove[]
  judged: string
}

// --- What the server answers about the archive.

/** A finished game. */
export interface ArchivedGame {
  id: string
  game: string
  title: string
  seats: string[]
  titles: string[]
  players: string[]
  names: string[]
  outcome: Outcome | null
  plies: number
  number: number
  experiment: string
  seat_colours: string[]
  talked?: boolean
  added?: string | null
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

// --- What the server answers about looking back on finished games.

/** The mean score of an agent in a match. */
export interface AgentMean {
  agent: string
  mean: number
}

/** Games with the same rules, seed and agents: a match, or one game. */
export interface ArchivedMatch {
  game: ArchivedGame
  games: number
  experiments: string[]
  means: AgentMean[]
}

/** Matches and single games, the newest first. */
export interface ArchiveList {
  total: number
  games: number
  matches: ArchivedMatch[]
}

/** The actions of a turn, and the whole as text. */
export interface Turn {
  text: string
  actions: LegalAction[]
}

/** A turn in which something was given away; both values are from before the dice fell. */
export interface Mistake {
  ply: number
  last: number
  turn_label: string
  loss: number
  played_value: number
  better_value: number
  played: Turn
  better: Turn
}

/** The turns of a seat in which most was given away, the worst first. */
export interface Review {
  by: string
  scale: 'chance' | 'score' | 'own'
  unit: string
  score_unit: string
  seat: number
  turns: number
  judged: number
  given_away: number
  done: boolean
  mistakes: Mistake[]
}

/** Words about a position of a finished game, and perhaps what could be played there. */
export interface Note {
  ply: number
  text: string
  variation: Turn | null
}

/** All notes of a game, in the order in which they were written. */
export interface Notes {
  notes: Note[]
}

/** One message of a question to a language model. */
export interface SpokenMessage {
  role: string
  text: string
}

/** A question to a language model and its answer. */
export interface Exchange {
  prompt: SpokenMessage[]
  answer: string
  reasoning: string
  problem: string
  kind: string
  finish: string
  prompt_tokens: number | null
  answer_tokens: number | null
  reasoning_tokens: number | null
  seconds: number
  retries: number
}

/** What was said before some actions of a seat. */
export interface SpokenDecision {
  ply: number
  seat: number
  actions: number
  model: string
  exchanges: Exchange[]
}

/** What was said before the action that led to a position. */
export interface Transcript {
  decisions: SpokenDecision[]
}

/** A program that can be asked about a position. */
export interface Adviser {
  spec: string
  played: boolean
  plays: boolean
  values: boolean
  curve: boolean
  explains: boolean
}

/** Who can be asked about a position; values are chances to win, or points without winners. */
export interface Advisers {
  turn: number | null
  winners: boolean
  advisers: Adviser[]
}

/** A game of a series: its score, and what it would have been without luck. */
export interface SeriesGame {
  id: string
  score: number
  luck_free: number
}

/** A game that does not count in a series, and why. */
export interface LeftOutGame {
  id: string
  why: string
}

/** A mean; without an interval the reason says why. */
export interface MeanOfGames {
  mean: number
  low: number | null
  high: number | null
  reason: string
}

/** How a series stands. */
export interface SeriesResult {
  games: SeriesGame[]
  left_out: LeftOutGame[]
  raw: MeanOfGames | null
  luck_free: MeanOfGames | null
}

// --- What the server answers about moves and values.

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
  lows: (number | null)[] | null
  highs: (number | null)[] | null
}

/** What the positions of a game were worth. */
export interface Curve {
  by: string | null
  scale: 'chance' | 'score' | 'own'
  seats: string[]
  points: CurvePoint[]
}

// --- What the server answers about work in the background.

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

/** A training run. */
export interface TrainingRun {
  run: string
  lines: number
  state: 'running' | 'stopped' | 'finished' | 'failed'
  reason: string
  unit: string
  done: number | null
  total: number | null
  columns: string[]
}

/** A file of trained weights, and an agent that can play with it. */
export interface PlayableWeights {
  file: string
  agent: string
  game: string
  title: string
  seats: string[]
  all_seats: string[]
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

/** Offer a draw, or answer an offer. */
export interface Draw extends FromClient {
  type: 'draw'
  answer: 'offer' | 'accept' | 'decline'
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

/** Have the program that thinks move now, with what it has found. */
export interface Hurry extends FromClient {
  type: 'hurry'
}

/** Ask why something cannot go to a place, or cannot go at all. */
export interface Why extends FromClient {
  type: 'why'
  ply: number
  from: string
  to?: string | null
}

/** Ask for the position as text. */
export interface Look extends FromClient {
  type: 'look'
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
  turn_label: string
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
  hurry: boolean
}

/** Who wants another game, and where it is. */
export interface RematchState {
  offered_by: number[]
  room: string | null
  link: string | null
}

/** Whose offer of a draw stands, who has just declined one, and whether the viewer may offer. */
export interface DrawState {
  offered_by: number | null
  declined_by: number | null
  may_offer: boolean
}

/** The present, as the viewer may see it. */
export interface Now {
  ply: number
  turn: number | null
  status: string
  progress: string
  ending: string
  board: Board
  legal: LegalAction[] | null
  barred: BarredMove[] | null
  outcome: Outcome | null
  clocks: number[] | null
  clock_runs: number | null
  thinking: boolean
  preparing: boolean
  paused: boolean
  pace: number
  can: Allowed
  rematch: RematchState
  draw: DrawState
  archive: string | null
}

/** Who sits where. */
export interface SeatFacts {
  seat: string
  title: string
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
  of_class: string | null
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

/** A program thinks about what was asked for; the first time it may have to be compiled. */
export interface WorkingMessage {
  type: 'working'
  first: boolean
}

/** Why something cannot go there; empty if there is nothing to explain. */
export interface WhyMessage {
  type: 'why'
  text: string
}

/** The position as the viewer may see it, in one line and as a drawing; null: nothing of it. */
export interface ViewMessage {
  type: 'view'
  ply: number
  line: string | null
  text: string | null
}

/** Somebody wants another game, or it is there. */
export interface RematchMessage extends RematchState {
  type: 'rematch'
}

/** Somebody offers a draw, or declines one. */
export interface DrawMessage extends DrawState {
  type: 'draw'
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

export type ClientMessage =
  | Join
  | Play
  | Undo
  | Resign
  | Draw
  | Rematch
  | Hint
  | Hurry
  | Why
  | Look
  | Pace
  | Stop
  | Ping

export type ServerMessage =
  | StateMessage
  | StepsMessage
  | PresenceMessage
  | HintMessage
  | WorkingMessage
  | WhyMessage
  | ViewMessage
  | RematchMessage
  | DrawMessage
  | ErrorMessage
  | PongMessage
