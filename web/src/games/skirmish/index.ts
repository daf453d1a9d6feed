import type { GameIndex } from '../../lib/boards'

export default {
  pages: [{ path: 'levels', title: 'Levels', load: () => import('./Levels.svelte') }],
  load: () => import('./parts'),
} satisfies GameIndex
