/** Gravwell on the screen. */

import type { GameParts } from '../../lib/boards'
import type { LegalAction } from '../../lib/protocol'
import { pictureAfter } from './frames'
import { guide } from './guide'
import GravwellBoard from './GravwellBoard.svelte'
import { legend } from './legend'
import Picture from './Picture.svelte'
import sample from './sample.json'
import type { GravwellBoard as Shown } from './types'

const TASKS: Record<string, string> = {
  take: 'Take a stack.',
  play: 'Choose a card; the others do not see it.',
  go: 'Your card takes effect: stop it?',
  stop: 'Your card takes effect: stop it?',
}

export default {
  board: GravwellBoard as never,
  sample,
  legend,
  guide: guide as never,
  picture: Picture as never,
  task: (_: Shown, moves: LegalAction[]) => TASKS[moves[0]?.kind ?? ''] ?? null,
  ownButton: (move: LegalAction) => move.kind !== 'pass',
  pictureAfter,
} satisfies GameParts
