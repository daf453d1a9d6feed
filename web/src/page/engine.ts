/**
 * The game itself on a page without a server: what stands where, what may be played, what a program
 * plays. It runs in a worker, so that the page stays awake while a program thinks; nothing in it
 * knows of a screen. What the server tells the client in a room, this tells the page.
 */

import type { Board, GameEvent, LegalAction, Outcome } from '../lib/protocol'
import { Kernels, type Dice, type Sizes } from './kernels'

export const OVER = -1

/** What a game brings to be shown without a server: `games/<game>/local.ts`. */
export interface LocalGame {
  board: (view: Int16Array) => Board
  action: (view: Int16Array, action: number) => Omit<LegalAction, 'action' | 'text'>
  actionName: (action: number) => string
  events: (before: Int16Array, seat: number, action: number, after: Int16Array) => GameEvent[]
  turnLabel: (view: Int16Array) => string
  progress: (view: Int16Array) => string
  reason: (position: Int16Array) => string
  whyNot: (view: Int16Array, from: string, to: string | null) => string
}

/** Who plays at a level in a seat. */
export interface Program {
  entry: string // of the module
  which: number // of those who share it
  memory: number[] // what it starts with
}

export interface Level {
  name: string
  title: string
  slips: number
  programs: Program[] // by seat
}

/** What the exporting command writes about a game. */
export interface Facts {
  game: string
  title: string
  seats: string[] // as positions and kernels call them
  titles: string[] // as people do
  colours: string[]
  winners: boolean // the highest score wins
  rules: string // Markdown
  levels: Level[]
  level: string // the one proposed
  starts: { title: string; cells: number[]; ready: boolean }[] // ready: `start` is not to be called
  seat: number // the one proposed
  sizes: Sizes
  dataEnd: number // where the data of the module end in its memory
  version: string
}

/** A position as a page shows it to a seat. */
export interface Shown {
  position: number[]
  turn: number | null
  board: Board
  legal: LegalAction[]
  progress: string
  outcome: Outcome | null
}

export interface Played {
  seat: number
  text: string
  label: string
  events: GameEvent[]
  shown: Shown
}

export interface Chosen {
  actions: number[]
  memory: number[]
  dice: string[]
}

/** Dice that nobody can foresee. */
export function freshDice(): Dice {
  const dice = new BigUint64Array(4)
  crypto.getRandomValues(dice.subarray(0, 1))
  return dice
}

export class Engine {
  private readonly named: RegExp
  private readonly titleOf: Map<string, string>

  constructor(
    private readonly kernels: Kernels,
    private readonly facts: Facts,
    private readonly local: LocalGame,
  ) {
    this.titleOf = new Map(facts.seats.map((seat, index) => [seat, facts.titles[index] ?? seat]))
    this.named = new RegExp(`\\b(?:${facts.seats.join('|')})\\b`, 'gi')
  }

  /** A sentence in which seats are called as people call them. */
  private words(text: string): string {
    return text.replace(this.named, (seat) => this.titleOf.get(seat.toLowerCase()) ?? seat)
  }

  start(index: number, dice: Dice = freshDice()): Shown {
    const start = this.facts.starts[index]
    if (!start) throw new Error(`there is no start ${index}`)
    const cells = start.ready ? start.cells : this.kernels.start(start.cells, dice)
    return this.show(cells)
  }

  show(cells: ArrayLike<number>): Shown {
    const position = Int16Array.from(cells)
    const turn = this.kernels.turn(position)
    const view = turn === OVER ? position : this.kernels.hide(position, turn)
    const over = turn === OVER
    return {
      position: [...position],
      turn: over ? null : turn,
      board: this.local.board(view),
      legal: over ? [] : this.kernels.legal(view).map((action) => this.legalAction(view, action)),
      progress: this.local.progress(view),
      outcome: over
        ? {
            scores: this.kernels.score(position),
            reason: this.words(this.local.reason(position)),
            forfeited_by: null,
          }
        : null,
    }
  }

  private legalAction(view: Int16Array, action: number): LegalAction {
    const { kind, from, to, label } = this.local.action(view, action)
    return { action, text: this.local.actionName(action), kind, from, to, label: this.words(label) }
  }

  play(position: number[], action: number, dice: Dice = freshDice()): Played {
    const before = Int16Array.from(position)
    const seat = this.kernels.turn(before)
    if (!this.kernels.legal(before).includes(action)) throw new Error('this action is not legal')
    const after = this.kernels.apply(before, action, dice)
    const events = this.local.events(before, seat, action, after)
    return {
      seat,
      text: this.local.actionName(action),
      label: this.local.turnLabel(before),
      events: events.map((event) => ({ ...event, text: this.words(event.text) })),
      shown: this.show(after),
    }
  }

  whyNot(position: number[], from: string, to: string | null): string {
    return this.words(this.local.whyNot(Int16Array.from(position), from, to))
  }

  /** Let the program of a level choose for the seat that is to act. */
  choose(position: number[], level: string, memory: number[] | null, dice: string[] | null): Chosen {
    const seat = this.kernels.turn(Int16Array.from(position))
    const found = this.facts.levels.find((each) => each.name === level)
    const program = found?.programs[seat]
    if (!found || !program) throw new Error(`nobody plays at the level '${level}'`)
    const notes = BigInt64Array.from((memory ?? program.memory).map(BigInt))
    const roll = dice ? BigUint64Array.from(dice.map(BigInt)) : freshDice()
    const view = this.kernels.hide(Int16Array.from(position), seat)
    const { entry, which } = program
    const actions = this.kernels.choose(entry, view, roll, notes, which, found.slips)
    return { actions, memory: [...notes].map(Number), dice: [...roll].map(String) }
  }
}

export async function openEngine(module: BufferSource, facts: Facts, local: LocalGame): Promise<Engine> {
  return new Engine(await Kernels.open(module, facts.dataEnd, facts.sizes), facts, local)
}

type Method = 'start' | 'show' | 'play' | 'whyNot' | 'choose'

export interface Request {
  id: number
  method: Method | 'open'
  values: unknown[]
}

export interface Answer {
  id: number
  value?: unknown
  problem?: string
}

/** Answer requests one after the other; the first one opens the engine. */
export function answering(local: LocalGame): (request: Request) => Promise<Answer> {
  let engine: Engine | null = null
  return async ({ id, method, values }) => {
    try {
      if (method === 'open') {
        const [module, facts] = values as [ArrayBuffer, Facts]
        engine = await openEngine(module, facts, local)
        return { id }
      }
      if (!engine) throw new Error('the engine is not open')
      const call = engine[method] as (...values: unknown[]) => unknown
      return { id, value: call.apply(engine, values) }
    } catch (problem) {
      return { id, problem: problem instanceof Error ? problem.message : String(problem) }
    }
  }
}

/** Serve a game: in a worker to whoever sends messages, and to anybody in the same place. */
export function serve(local: LocalGame): void {
  const answer = answering(local)
  const here = globalThis as unknown as {
    sandtableEngine?: (request: Request) => Promise<Answer>
    document?: unknown
    postMessage?: (answer: Answer) => void
    onmessage?: (event: { data: Request }) => void
  }
  here.sandtableEngine = answer
  if (here.document === undefined && here.postMessage) {
    here.onmessage = (event) => void answer(event.data).then((found) => here.postMessage?.(found))
  }
}
