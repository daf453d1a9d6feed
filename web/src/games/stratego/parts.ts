/** Stratego on the screen. */

import type { GameParts } from '../../lib/boards'
import type { Candidates, LegalAction } from '../../lib/protocol'
import { guide } from './guide'
import KnownRanks from './KnownRanks.svelte'
import { rankOrder } from './rank_order.svelte'
import { legend } from './legend'
import { rankWords } from './ranks'
import RankTools from './RankTools.svelte'
import sample from './sample.json'
import StrategoBoard from './StrategoBoard.svelte'
import StrategoForces from './StrategoForces.svelte'
import StrategoPlace from './StrategoPlace.svelte'
import type { StrategoBoard as Shown } from './types'

export default {
  board: StrategoBoard as never,
  sample,
  legend,
  guide: guide as never,
  upperSeat: 1,
  ownViews: true,
  task: (_: Shown, moves: LegalAction[]) =>
    moves[0]?.kind === 'place' ? 'Set up your pieces.' : null,
  preparation: {
    wanted: (board: Shown) => board.setup?.decided === 0,
    part: StrategoPlace as never,
  },
  beside: StrategoForces as never,
  tools: RankTools,
  questions: {
    // What could be known is told unless the program itself says what it believes.
    beliefs: {
      panel: KnownRanks as never,
      unless: (judged: Candidates) => judged.beliefs.length > 0,
    },
  },
  beliefWords: (rank: string) => rankWords(rank, rankOrder.oneHigh),
} satisfies GameParts
