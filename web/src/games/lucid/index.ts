import type { GameIndex } from '../../lib/boards'

export default {
  pages: [
    { path: 'label', title: 'Label', load: () => import('./Label.svelte') },
    { path: 'scenarios', title: 'Scenarios', load: () => import('./Scenarios.svelte') },
  ],
  load: () => import('./parts'),
} satisfies GameIndex
