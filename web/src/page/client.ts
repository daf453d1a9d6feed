/** The page's way to its engine: a worker, or where a browser allows none, the same script here. */

import type { Answer, Facts, Request } from './engine'

interface Waiting {
  resolve: (value: never) => void
  reject: (problem: Error) => void
}

export class EngineClient {
  private waiting = new Map<number, Waiting>()
  private next = 0
  private send: (request: Request) => void

  private constructor(script: string) {
    this.send = this.startWorker(script) ?? this.startHere(script)
  }

  static async open(script: string, module: ArrayBuffer, facts: Facts): Promise<EngineClient> {
    const client = new EngineClient(script)
    await client.ask('open', module, facts)
    return client
  }

  private startWorker(script: string): ((request: Request) => void) | null {
    try {
      const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
      const worker = new Worker(address)
      worker.onmessage = (event: MessageEvent<Answer>) => this.hear(event.data)
      worker.onerror = (event) => {
        event.preventDefault()
        this.moveHere(script)
      }
      return (request) => worker.postMessage(request)
    } catch {
      return null
    }
  }

  /** The worker has not come to life: its policy may forbid it. Ask again what is open. */
  private moveHere(script: string): void {
    this.send = this.startHere(script)
    for (const request of this.asked.values()) this.send(request)
  }

  private startHere(script: string): (request: Request) => void {
    const element = document.createElement('script')
    element.textContent = script
    document.head.append(element)
    const answer = (globalThis as unknown as { sandtableEngine: (r: Request) => Promise<Answer> })
      .sandtableEngine
    return (request) => void answer(request).then((found) => this.hear(found))
  }

  private asked = new Map<number, Request>()

  private hear({ id, value, problem }: Answer): void {
    const waiting = this.waiting.get(id)
    this.waiting.delete(id)
    this.asked.delete(id)
    if (problem !== undefined) waiting?.reject(new Error(problem))
    else waiting?.resolve(value as never)
  }

  ask<Value>(method: Request['method'], ...values: unknown[]): Promise<Value> {
    const request = { id: this.next++, method, values }
    return new Promise<Value>((resolve, reject) => {
      this.waiting.set(request.id, { resolve: resolve as never, reject })
      this.asked.set(request.id, request)
      this.send(request)
    })
  }
}
