/** Pictures between two boards: a turn that is closed shows its combats one after the other. */

import type { GameEvent } from '../../lib/protocol'
import type { LucidBoard } from './types'

const BLUE = 0
const RED = 1

export function pictureAfter(board: LucidBoard, event: GameEvent): LucidBoard | null {
  if (event.kind !== 'combat') return null
  const nodes = board.nodes.map((node) => {
    if (node.place !== event.place) return node
    const blue = node.blue - (event.loser === BLUE ? 1 : 0)
    const red = node.red - (event.loser === RED ? 1 : 0)
    return { ...node, blue, red, moved: 0, combat: blue && red ? node.combat : null }
  })
  return { ...board, nodes }
}
