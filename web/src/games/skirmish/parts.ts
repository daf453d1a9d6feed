/** Skirmish on the screen. */

import type { GameParts } from '../../lib/boards'
import sample from './sample.json'
import SkirmishBoard from './SkirmishBoard.svelte'

export default { board: SkirmishBoard as never, sample, upperSeat: 1 } satisfies GameParts
