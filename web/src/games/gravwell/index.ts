import type { GameIndex } from '../../lib/boards'

export default { load: () => import('./parts') } satisfies GameIndex
