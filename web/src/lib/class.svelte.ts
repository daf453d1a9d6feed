/** A tournament of a class as it stands, looked at again and again, and what may be done in it. */

import { announcer } from './announcer.svelte'
import { get, post } from './api'
import { classToken } from './keys'
import type { ClassPage, ClassSelf, ClassToken } from './protocol'

const LOOK_AGAIN = 2000 // milliseconds; 200 people are a third of what one address may ask for

export class ClassClient {
  page = $state.raw<ClassPage | null>(null)
  self = $state.raw<ClassSelf>({ host: false, player: null, games: [] })
  problem = $state('')
  gone = $state(false)

  private host: string | null
  private player: string | null
  private seen = ''
  private timer: ReturnType<typeof setInterval>

  constructor(
    readonly name: string,
    host?: string,
  ) {
    this.host = classToken(name, 'host', host)
    this.player = classToken(name, 'player')
    this.timer = setInterval(() => {
      if (!document.hidden) void this.look()
    }, LOOK_AGAIN)
    void this.look()
  }

  close(): void {
    clearInterval(this.timer)
  }

  get isHost(): boolean {
    return this.host !== null || this.self.host
  }

  async look(): Promise<void> {
    try {
      await this.take(await get<ClassPage>(this.path('')))
      this.problem = ''
    } catch (error) {
      this.gone = (error as { status?: number }).status === 404
      this.problem = (error as Error).message
    }
  }

  /** Show a page; if something is new in it, ask what that means for oneself. */
  private async take(page: ClassPage): Promise<void> {
    const text = JSON.stringify(page)
    if (text === this.seen) return
    const self = await get<ClassSelf>(this.path('/me'), this.player ?? undefined)
    const known = new Set(this.self.games.map((game) => game.room))
    this.seen = text
    this.page = page
    this.self = self
    if (self.games.some((game) => !known.has(game.room))) announcer.say('Your game is ready')
  }

  /** Take part under a name, or under another one. */
  async enter(name: string): Promise<void> {
    await this.attempt(async () => {
      if (this.self.player === null) {
        const taken = await post<ClassToken>(this.path('/players'), { name })
        this.player = classToken(this.name, 'player', taken.token)
      } else {
        await post(this.path('/name'), { name }, this.player ?? undefined)
      }
      this.seen = ''
      await this.look()
    })
  }

  /** Do what only the host may. */
  async rule(what: string, body: unknown = {}): Promise<void> {
    await this.attempt(async () => {
      await this.take(await post<ClassPage>(this.path(what), body, this.host ?? undefined))
      this.problem = ''
    })
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.problem = (error as Error).message
    }
  }

  path(what: string): string {
    return `/api/classes/${encodeURIComponent(this.name)}${what}`
  }
}
