/** Work that the server does in the background, followed until it is done. */

import { get, remove } from './api'
import type { Job } from './protocol'

export class JobWatch<Result> {
  job = $state.raw<Job | null>(null)
  error = $state('')
  private timer: ReturnType<typeof setTimeout> | undefined
  private stopped = false
  private watch = 0 // counts what was asked for: late answers to something older are dropped

  /** Ask for the job by a request that answers `{job}`, and follow it. */
  async follow(ask: Promise<{ job: string }>): Promise<void> {
    this.clear()
    const watch = this.watch
    try {
      const { job } = await ask
      await this.look(job, 120, watch)
    } catch (error) {
      this.error = (error as Error).message
    }
  }

  /** Forget the last job; it is not stopped. */
  clear(): void {
    this.watch += 1
    clearTimeout(this.timer)
    this.job = null
    this.error = ''
  }

  get running(): boolean {
    return this.job !== null && ['waiting', 'queued', 'running'].includes(this.job.status)
  }

  get result(): Result | null {
    return (this.job?.result ?? null) as Result | null
  }

  async cancel(): Promise<void> {
    if (this.job) this.job = await remove<Job>(`/api/jobs/${this.job.job}`)
  }

  close(): void {
    this.stopped = true
    clearTimeout(this.timer)
  }

  private async look(id: string, wait: number, watch: number): Promise<void> {
    if (this.stopped || watch !== this.watch) return
    try {
      const found = await get<Job>(`/api/jobs/${id}`)
      if (watch !== this.watch) return
      this.job = found
      this.error = this.job.error ?? ''
      if (this.running)
        this.timer = setTimeout(() => void this.look(id, Math.min(1500, wait * 1.4), watch), wait)
    } catch (error) {
      this.error = (error as Error).message
    }
  }
}
