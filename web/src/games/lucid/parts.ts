/** Operation Lucid on the screen. */

import type { GameParts } from '../../lib/boards'
import { pictureAfter } from './frames'
import { guide } from './guide'
import GroupTable from './GroupTable.svelte'
import JoinExperts from './JoinExperts.svelte'
import { legend } from './legend'
import LucidBoard from './LucidBoard.svelte'
import sample from './sample.json'
import type { Groups, LucidBoard as Shown } from './types'

function task(board: Shown): string {
  const free = board.nodes.reduce((sum, node) => sum + node.movable, 0)
  return free
    ? `${free} ${free === 1 ? 'unit' : 'units'} can still move.`
    : 'No unit can move any more.'
}

export default {
  board: LucidBoard as never,
  sample,
  legend,
  guide: guide as never,
  task,
  replayTools: JoinExperts,
  pictureAfter,
  questions: {
    groups: {
      panel: GroupTable as never,
      groups: (answer: Groups) => answer.groups.map((group) => group.nodes),
    },
  },
} satisfies GameParts
