/** Skirmish on the screen. */

import type { GameParts } from '../../lib/boards'
import { guide } from './guide'
import { legend } from './legend'
import sample from './sample.json'
import SkirmishBoard from './SkirmishBoard.svelte'

export default { board: SkirmishBoard as never, sample, legend, guide: guide as never, upperSeat: 1 } satisfies GameParts
