/** Work that the server does in the background, followed until it is done. */

import { get, remove } from './api'
import type { Job } from './protocol'

export class JobWatch<Result> {
  job = $state.raw<Job | null>(null)
  error = $state('')
  private timer: ReturnType<typeof setTimeout> | undefined
  private stopped = false

  /** Ask for the job by a request that answers `{job}`, and follow it. */
  async follow(ask: Promise<{ job: string }>): Promise<void> {
    this.error = ''
    try {
      const { job } = await ask
      await this.look(job, 120)
    } catch (error) {
      this.error = (error as Error).message
    }
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

  private async look(id: string, wait: number): Promise<void> {
    if (this.stopped) return
    try {
      this.job = await get<Job>(`/api/jobs/${id}`)
      this.error = this.job.error ?? ''
      if (this.running)
        this.timer = setTimeout(() => void this.look(id, Math.min(1500, wait * 1.4)), wait)
    } catch (error) {
      this.error = (error as Error).message
    }
  }
}
