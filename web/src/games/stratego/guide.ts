/** The first game of Stratego, on the small board. */

import type { Guide } from '../../lib/boards'
import type { StrategoBoard } from './types'

export const guide: Guide<StrategoBoard> = {
  spec: 'stratego:variant=mini',
  seats: ['you', 'random'],
  steps: [
    {
      say: 'You are Red, below. You see where the blue pieces stand, but not what they are. Take the blue flag to win.',
    },
    {
      say: 'Pieces with a green frame can move; bombs and the flag never do. Touch one of them.',
      mark: ({ moves }) => [...new Set(moves.map((move) => move.from ?? ''))].slice(0, 3),
      done: ({ selected, own }) => selected !== null || own.length > 0,
    },
    {
      say: 'Touch a green square to go there: one step up, down, left or right. A 2 goes as far as it likes.',
      done: ({ own }) => own.length > 0,
    },
    {
      say: 'Walk onto a blue piece to attack it. The higher rank wins; both ranks are then known. Attack something!',
      done: ({ own }) => own.some((entry) => entry.events.some((event) => event.kind === 'fight')),
    },
    {
      say: 'Remember what you have seen: an eye marks pieces that are known, footprints those that have moved, so they are neither bomb nor flag.',
    },
    {
      say: 'Special ones: only a 3 removes bombs, and the spy beats the 10 if it attacks. Rest the pointer on a piece, or press it long, to read about it. Play on!',
    },
  ],
}
