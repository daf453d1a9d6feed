/**
 * A step cut into what is shown one after the other. The pictures in between are made from the
 * events, as far as the game knows how; the last one is the server's board.
 */

import type { Board, GameEvent, Step } from '../lib/protocol'

export interface Frame {
  board: Board
  events: GameEvent[]
}

export type PictureAfter = (board: never, event: GameEvent) => Board | null

export function framesOf(before: Board, step: Step, pictureAfter?: PictureAfter): Frame[] {
  const last: Frame = { board: step.board, events: step.events }
  const frames: Frame[] = []
  const single: GameEvent[] = []
  let board = before
  for (const event of step.events) {
    const next = pictureAfter?.(board as never, event)
    if (!next) continue
    board = next
    single.push(event)
    frames.push({ board, events: [event] })
  }
  if (frames.length) last.events = step.events.filter((event) => !single.includes(event))
  return [...frames, last]
}
