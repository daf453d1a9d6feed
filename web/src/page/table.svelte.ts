/** A game on the page: what has been played, who plays at which level, and what is shown. */

import { announcer } from '../lib/announcer.svelte'
import type { GameEvent, LegalAction, LogEntry } from '../lib/protocol'
import { settings } from '../lib/settings.svelte'
import { capital, endWords } from '../lib/words'
import type { EngineClient } from './client'
import type { Chosen, Facts, Played, Shown } from './engine'

interface Moment {
  shown: Shown
  events: GameEvent[] // that led here
  memory: number[] | null // of the program
}

const PATIENCE = 700 // milliseconds after which somebody wants to know that it still thinks

export class Table {
  seat = $state(0) // of the person
  level = $state('')
  start = $state(0)
  moments = $state.raw<Moment[]>([])
  log = $state.raw<LogEntry[]>([])
  thinking = $state<'no' | 'yes' | 'long'>('no')
  asking = $state(false) // for a hint
  hint = $state.raw<LegalAction | null>(null)
  why = $state('')
  problem = $state('')
  private round = 0 // counts what makes answers that are on their way void

  constructor(
    readonly facts: Facts,
    private readonly engine: EngineClient,
  ) {
    this.seat = facts.seat
    this.level = facts.level
  }

  readonly now = $derived(this.moments.at(-1) ?? null)
  readonly shown = $derived(this.now?.shown ?? null)
  readonly yours = $derived(this.shown?.turn === this.seat && this.thinking === 'no')
  readonly moves = $derived(this.yours ? (this.shown?.legal ?? []) : [])
  readonly names = $derived.by(() => {
    const level = this.facts.levels.find((each) => each.name === this.level)?.title ?? ''
    return this.facts.titles.map((title, seat) =>
      seat === this.seat ? title : `${level} (${title})`,
    )
  })
  readonly end = $derived.by(() => {
    const outcome = this.shown?.outcome
    return outcome ? endWords(outcome, this.names, this.seat, this.facts.winners) : null
  })
  readonly words = $derived.by(() => {
    if (this.end) return this.end.head
    if (this.shown?.turn === this.seat) return 'Your turn'
    return `${capital(this.names[this.shown?.turn ?? 0] ?? '')} is thinking`
  })
  readonly canTakeBack = $derived(this.log.some((entry) => entry.seat === this.seat))

  async begin(): Promise<void> {
    const round = ++this.round
    this.clear()
    try {
      const shown = await this.engine.ask<Shown>('start', this.start)
      if (round !== this.round) return
      this.moments = [{ shown, events: [], memory: null }]
      this.log = []
      await this.goOn(round)
    } catch (problem) {
      this.fail(round, problem)
    }
  }

  private clear(): void {
    this.thinking = 'no'
    this.asking = false
    this.hint = null
    this.why = ''
    this.problem = ''
  }

  private fail(round: number, problem: unknown): void {
    if (round !== this.round) return
    this.clear()
    this.problem = problem instanceof Error ? problem.message : String(problem)
  }

  async play(action: number): Promise<void> {
    if (!this.yours) return
    const round = ++this.round
    this.clear()
    this.thinking = 'yes' // nothing else can be played until it is known what this led to
    try {
      await this.step(round, action, this.now?.memory ?? null)
      if (round === this.round) await this.goOn(round)
    } catch (problem) {
      this.fail(round, problem)
    }
  }

  /** Play one action of anybody. */
  private async step(round: number, action: number, memory: number[] | null): Promise<void> {
    const before = this.now
    if (!before) return
    const played = await this.engine.ask<Played>('play', [...before.shown.position], action)
    if (round !== this.round) return
    const { seat, text, events, shown } = played
    this.moments = [...this.moments, { shown, events, memory }]
    const ply = this.log.length + 1
    this.log = [...this.log, { ply, seat, action, text, events, turn_label: played.label }]
    for (const event of events) announcer.say(event.text)
    if (this.end) announcer.say(`${this.end.head}. ${this.end.more}`)
  }

  /** Let the program play until the person is to act. */
  private async goOn(round: number): Promise<void> {
    while (round === this.round && this.shown && !this.shown.outcome && this.shown.turn !== this.seat) {
      this.thinking = 'yes'
      const timer = setTimeout(() => round === this.round && (this.thinking = 'long'), PATIENCE)
      const [chosen] = await Promise.all([
        this.engine.ask<Chosen>('choose', [...this.shown.position], this.level, this.now?.memory ?? null, null),
        new Promise((done) => setTimeout(done, settings.wait)), // so that a person sees what happened
      ]).finally(() => clearTimeout(timer))
      for (const action of chosen.actions) {
        if (round !== this.round || this.shown?.outcome) break
        await this.step(round, action, chosen.memory)
      }
    }
    if (round !== this.round) return
    this.thinking = 'no'
    if (!this.shown?.outcome) announcer.say('Your turn')
  }

  /** Go back to before the last thing that the person played. */
  takeBack(): void {
    const last = this.log.findLastIndex((entry) => entry.seat === this.seat)
    if (last < 0) return
    const round = ++this.round
    this.clear()
    this.moments = this.moments.slice(0, last + 1)
    this.log = this.log.slice(0, last)
    announcer.say('Taken back.')
    void this.goOn(round).catch((problem: unknown) => this.fail(round, problem))
  }

  /** Ask what the strongest program would play here. */
  async askHint(): Promise<void> {
    const round = this.round
    const strongest = this.facts.levels.at(-1)?.name
    if (!this.yours || !this.shown) return
    this.asking = true
    try {
      const chosen = await this.engine.ask<Chosen>('choose', [...this.shown.position], strongest, null, null)
      if (round !== this.round) return
      this.asking = false
      this.hint = this.moves.find((move) => move.action === chosen.actions[0]) ?? null
      if (this.hint) announcer.say(`Hint: ${this.hint.label}`)
    } catch (problem) {
      this.fail(round, problem)
    }
  }

  async askWhy(from: string, to: string | null): Promise<void> {
    const round = this.round
    if (!this.shown) return
    const why = await this.engine.ask<string>('whyNot', [...this.shown.position], from, to)
    if (round === this.round) this.why = why
    announcer.say(why)
  }

  /** Play at another level from now on. */
  chooseLevel(name: string): void {
    this.level = name
    if (this.thinking === 'no') return
    const round = ++this.round // what is being thought about is another level's
    void this.goOn(round).catch((problem: unknown) => this.fail(round, problem))
  }

  chooseSeat(seat: number): void {
    this.seat = seat
    void this.begin()
  }

  chooseStart(index: number): void {
    this.start = index
    void this.begin()
  }
}
