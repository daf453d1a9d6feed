import type { GameIndex } from '../../lib/boards'

export default {
  pages: [{ path: 'setups', title: 'Set-ups', load: () => import('./Setups.svelte') }],
  load: () => import('./parts'),
} satisfies GameIndex
