/** The first game of Skirmish. */

import type { Guide } from '../../lib/boards'
import type { SkirmishBoard } from './types'

function own(board: SkirmishBoard, kind: string): string[] {
  return board.units.filter((unit) => unit.seat === 0 && unit.kind === kind).map((unit) => unit.place)
}

export const guide: Guide<SkirmishBoard> = {
  spec: 'skirmish',
  seats: ['you', 'random'],
  steps: [
    {
      say: 'You are Blue. Take everything Red has. All units grow old: the number is the age, the ring the life that is left.',
    },
    {
      say: 'Touch your worker.',
      mark: ({ board }) => own(board, 'worker'),
      done: ({ selected, own: log }) => selected !== null || log.length > 0,
    },
    {
      say: 'Press "Build a barracks", or touch a green square to walk first.',
      done: ({ own: log }) => log.length > 0,
    },
    {
      say: 'A worker that becomes a barracks raises soldiers, 8 and 16 half-turns later. Your town makes new workers. Build one barracks.',
      mark: ({ board }) => own(board, 'worker'),
      done: ({ board, own: log }) =>
        own(board, 'barracks').length > 0 || log.some((entry) => entry.text?.endsWith('+')),
    },
    {
      say: 'Play on until a soldier comes. If nothing can move, press "Pass".',
      done: ({ board }) => own(board, 'soldier').length > 0,
    },
    {
      say: 'A soldier takes any enemy one step away, in any direction. March to the red town.',
      mark: ({ board }) => own(board, 'soldier'),
      done: ({ own: log }) => log.some((entry) => entry.events.some((event) => event.kind === 'capture')),
    },
    { say: 'That is all there is: raise more than Red, and be where it counts. Play on!' },
  ],
}
