/** A game on the server: what it said last, what is shown of it, and how to answer. */

import { framesOf, type Frame } from '../kit/frames'
import { announcer } from './announcer.svelte'
import type { GameEvent, HintMessage, LogEntry, Now, RoomFacts, ServerMessage, Step } from './protocol'
import { loadedGames } from './games.svelte'
import { settings } from './settings.svelte'
import { play, soundOf } from './sound'
import { noteGame } from './yours'
import { drawWords, hintWords, playerNames } from './words'

const LONGEST_QUEUE = 80 // after more steps than that a watcher has been away: show the end
const MOST_LOGGED = 2000

export class RoomClient {
  room = $state.raw<RoomFacts | null>(null)
  you = $state<number | null>(null)
  role = $state<'seat' | 'owner' | 'spectator'>('spectator')
  now = $state.raw<Now | null>(null)
  shown = $state.raw<Frame | null>(null)
  log = $state.raw<LogEntry[]>([])
  settled = $state(true) // everything that has happened is shown
  presence = $state.raw<{ seats: boolean[]; spectators: number } | null>(null)
  connection = $state<'connecting' | 'open' | 'lost' | 'gone'>('connecting')
  error = $state('')
  asking = $state(false) // a hint is on its way
  compiling = $state(false) // and it is the first of its kind
  why = $state.raw<{ text: string } | null>(null) // what was tried cannot be done
  hint = $state.raw<HintMessage | null>(null)
  heard = $state(0) // when `now` came, for the clocks

  private socket: WebSocket | null = null
  private queue: Step[] = []
  private running = false
  private skipping = false
  private closed = false
  private tries = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    readonly id: string,
    readonly token: string | null,
  ) {
    this.connect()
  }

  private connect(): void {
    if (this.closed) return
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(
      `${scheme}://${location.host}/api/rooms/${encodeURIComponent(this.id)}/socket`,
    )
    this.socket = socket
    socket.onopen = () => this.send({ type: 'join', ...(this.token ? { token: this.token } : {}) })
    socket.onmessage = (event) => this.hear(JSON.parse(String(event.data)) as ServerMessage)
    socket.onclose = (event) => {
      if (this.closed || this.socket !== socket) return
      if (event.code === 4404) {
        this.connection = 'gone'
        return
      }
      this.connection = 'lost'
      this.timer = setTimeout(() => this.connect(), Math.min(8000, 300 * 2 ** this.tries++))
    }
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.socket?.close()
  }

  send(message: Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }

  play(actions: number[]): void {
    this.error = ''
    this.why = null
    this.hint = null
    this.asking = false
    this.send({ type: 'play', ply: this.now?.ply ?? 0, actions })
  }

  askHint(): void {
    this.asking = true
    this.compiling = false
    this.send({ type: 'hint' })
  }

  /** Ask why something cannot go somewhere; the answer comes as `why`. */
  askWhy(from: string, to: string | null): void {
    this.why = null
    this.send({ type: 'why', ply: this.now?.ply ?? 0, from, to })
  }

  undo(scope: 'action' | 'turn'): void {
    this.error = ''
    this.send({ type: 'undo', ply: this.now?.ply ?? 0, scope })
  }

  private hear(message: ServerMessage): void {
    if (message.type === 'state') {
      this.connection = 'open'
      this.tries = 0
      this.takeState(message)
    } else if (message.type === 'steps') {
      this.now = message.now
      this.heard = performance.now()
      this.queue.push(...message.steps)
      this.settled = false
      void this.show()
    } else if (message.type === 'presence') {
      this.presence = { seats: message.seats, spectators: message.spectators }
    } else if (message.type === 'hint') {
      this.asking = false
      this.hint = message
      announcer.say(`Hint: ${hintWords(message.actions)}`)
    } else if (message.type === 'working') {
      this.compiling = message.first
    } else if (message.type === 'why') {
      if (message.text) {
        this.why = { text: message.text }
        announcer.say(message.text)
      }
    } else if (message.type === 'rematch' && this.now) {
      this.now = { ...this.now, rematch: message }
    } else if (message.type === 'draw' && this.now) {
      this.now = { ...this.now, draw: message }
      announcer.say(drawWords(message, playerNames(this.room?.seats ?? []), this.you))
    } else if (message.type === 'error') {
      this.asking = false
      this.error = message.text
      announcer.say(message.text)
    }
  }

  private takeState(message: Extract<ServerMessage, { type: 'state' }>): void {
    this.room = message.room
    this.you = message.you
    if (message.you !== null && message.you >= 0) noteGame(this.id, message.you)
    this.role = message.role
    this.now = message.now
    this.heard = performance.now()
    if (message.why === 'end' && this.running) return // the last steps are still being shown
    this.queue = []
    this.log = message.log
    this.rest()
    if (message.why === 'undo') announcer.say('Taken back.')
  }

  /** Show the board as it is now. */
  private rest(): void {
    if (!this.now) return
    const events: GameEvent[] = this.log.at(-1)?.events ?? []
    this.shown = { board: this.now.board, events }
    this.settled = true
  }

  /** Show at once what is still waiting to be shown. */
  skip(): void {
    this.skipping = true
  }

  private async show(): Promise<void> {
    if (this.running) return
    this.running = true
    for (let step = this.queue.shift(); step; step = this.queue.shift()) {
      this.log = [...this.log, step].slice(-MOST_LOGGED)
      const frames = framesOf(
        this.shown?.board ?? step.board,
        step,
        loadedGames.of(step.board.game)?.pictureAfter,
      )
      for (const frame of frames) {
        this.shown = frame
        for (const event of frame.events) announcer.say(event.text)
        const loudest = frame.events.find((event) => soundOf(event.kind) !== 'move')
        play(loudest ? soundOf(loudest.kind) : 'move')
        await this.pause(step, frame, frames.length)
      }
    }
    this.running = false
    this.skipping = false
    if (this.now?.outcome) play('over')
    this.rest()
  }

  /** Wait so long that a person can see what happened; one's own moves are seen already. */
  private async pause(step: Step, frame: Frame, frames: number): Promise<void> {
    const own = step.seat === this.you && frames === 1
    const away = document.hidden || this.queue.length > LONGEST_QUEUE
    if (own || away || this.skipping || !frame.events.length) return
    const only = frame.events.every((event) => event.kind === 'move')
    const weight = only && this.room?.closing ? 0.4 : only ? 1 : 1.6 // one of many, a move, more
    if (settings.wait) await new Promise((done) => setTimeout(done, settings.wait * weight))
  }
}
