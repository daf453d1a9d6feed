/** The first game of Gravwell, for two. */

import type { Guide, GuideState } from '../../lib/boards'
import type { GravwellBoard } from './types'

function playable({ moves }: GuideState<GravwellBoard>): string[] {
  return moves.slice(0, 1).map((move) => move.from ?? '')
}

function played(own: { text: string | null }[], prefix: RegExp): number {
  return own.filter((entry) => entry.text !== null && prefix.test(entry.text)).length
}

export const guide: Guide<GravwellBoard> = {
  spec: 'gravwell:players=2',
  seats: ['you', 'random'],
  steps: [
    {
      say: 'Your ship is in the Singularity, the dark disc. Reach tile 54, the Warp Gate, or be nearest to it after six rounds.',
    },
    {
      say: 'First everybody drafts: a card you see on one you do not. Touch a stack to take it.',
      mark: playable,
      done: ({ own }) => played(own, /^take-/) > 0,
    },
    {
      say: 'Take stacks until you have six cards. Rest the pointer on a card, or press it long, to read what it does.',
      done: ({ own }) => played(own, /^take-/) > 2,
    },
    {
      say: 'Now choose a card. The others do not see it, and choose theirs too.',
      mark: playable,
      done: ({ own }) => played(own, /^[A-Z][a-z]?$/) > 0,
    },
    {
      say: 'The cards take effect in alphabetical order. Your ship is drawn to the nearest ship outside the Singularity, ahead or behind: a hulk counts too.',
    },
    {
      say: 'If a card would pull you back, answer its question with the Emergency Stop: you have one in each round.',
    },
    {
      say: 'Play a second card: early letters act before the others have moved, late ones after.',
      mark: playable,
      done: ({ own }) => played(own, /^[A-Z][a-z]?$/) > 1,
    },
    { say: 'That is all. After six cards there is a new draft. Play on!' },
  ],
}
