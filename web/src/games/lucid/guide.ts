/** The first game of Operation Lucid. */

import type { Guide } from '../../lib/boards'
import type { LucidBoard } from './types'

function turns(own: { text: string | null }[]): number {
  return own.filter((entry) => entry.text === 'end').length
}

export const guide: Guide<LucidBoard> = {
  spec: 'lucid',
  seats: ['you', 'lucid/axes-red'],
  steps: [
    {
      say: 'You are Blue. Bring as many of your 15 units as you can into the goal at the top, in 36 turns. Red holds the row below it.',
    },
    {
      say: 'Touch a node with your units, for example the one in the middle.',
      mark: () => ['c1'],
      done: ({ selected, own }) => selected !== null || own.length > 0,
    },
    {
      say: 'Now touch a node with a green frame: one unit goes there.',
      done: ({ own }) => own.length > 0,
    },
    {
      say: 'Each unit may go one road in a turn, and three are the most on a node. Move as many as you like, then press "End the turn".',
      done: ({ own }) => turns(own) > 0,
    },
    {
      say: 'A coin decides who has the next turn; Red may have several in a row. Go on north, together rather than one by one.',
      done: ({ own }) => turns(own) > 2,
    },
    {
      say: 'Enter a node with red units to fight there. After every turn one unit is lost: the percentage says how likely it is a red one.',
      done: ({ board }) => board.nodes.some((node) => node.combat !== null),
    },
    {
      say: 'Many units on one side and supply help: a way of blue nodes back to row 1, drawn as a dashed line. Attackers cannot leave a combat.',
    },
    { say: 'When a hole opens in row 5, go through it into the goal. Play on!', mark: () => ['goal'] },
  ],
}
