/** A finished game, step by step; steps are fetched in portions when they are needed. */

import { address, get, type Problem } from './api'
import type { ArchivedGame, Board, Step, Steps } from './protocol'

const PORTION = 50

export class GameRecord {
  game = $state.raw<ArchivedGame | null>(null)
  total = $state(0)
  start = $state.raw<Board | null>(null)
  steps = $state.raw<(Step | undefined)[]>([])
  error = $state('')
  private asked = new Set<number>()

  constructor(
    readonly id: string,
    readonly seat: number | null,
  ) {
    void this.open()
  }

  private async open(): Promise<void> {
    try {
      this.game = await this.found()
      await this.fetch(0)
    } catch (error) {
      this.error = (error as Error).message
    }
  }

  /** The game; one that has just ended may take a moment to get into the archive. */
  private async found(tries = 8): Promise<ArchivedGame> {
    try {
      return await get<ArchivedGame>(`/api/archive/${this.id}`)
    } catch (error) {
      if (tries === 0 || (error as Problem).status !== 404) throw error
      await new Promise((done) => setTimeout(done, 300))
      return this.found(tries - 1)
    }
  }

  /** The board after so many actions, or null while it is being fetched. */
  board(ply: number): Board | null {
    return ply === 0 ? this.start : (this.steps[ply - 1]?.board ?? null)
  }

  /** See to it that the steps round an action are there. */
  async need(ply: number): Promise<void> {
    const portion = Math.floor(Math.max(0, ply - 1) / PORTION)
    try {
      await this.fetch(portion)
      if (ply % PORTION > PORTION - 10) await this.fetch(portion + 1)
    } catch (error) {
      this.error = (error as Error).message
    }
  }

  private async fetch(portion: number): Promise<void> {
    const first = portion * PORTION
    if (this.asked.has(portion) || (this.total && first >= this.total)) return
    this.asked.add(portion)
    const path = address(`/api/archive/${this.id}/steps`, {
      first,
      count: PORTION,
      seat: this.seat,
    })
    const answer = await get<Steps>(path)
    const steps = [...this.steps]
    answer.steps.forEach((step, index) => (steps[answer.first + index] = step))
    this.steps = steps
    this.total = answer.total
    if (portion === 0) this.start = answer.start.board
  }
}
