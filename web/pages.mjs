// Builds what a page without a server is made of, for every game that has it: its screen
// (games/<game>/page.ts) and, for a worker, the game itself (games/<game>/engine.ts). Each becomes
// one plain script: a page opened from a folder may load no modules.

import { existsSync, readdirSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { build } from 'vite'

const OUT = '../src/sandtable/pages/built'

/** The only game of such a page stands in for the list of all of them. */
const onlyGame = {
  name: 'only-game',
  enforce: 'pre',
  resolveId(source) {
    if (/\/lib\/games\.svelte$|^\.\/games\.svelte$/.test(source)) {
      return new URL('src/page/only_game.ts', import.meta.url).pathname
    }
  },
}

const games = readdirSync('src/games').filter((game) => existsSync(`src/games/${game}/page.ts`))
let first = true
for (const game of games) {
  for (const part of ['page', 'engine']) {
    await build({
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      plugins: part === 'page' ? [onlyGame, svelte()] : [],
      build: {
        outDir: OUT,
        emptyOutDir: first,
        target: 'es2022',
        modulePreload: false,
        cssCodeSplit: false,
        rollupOptions: {
          transform: { define: { 'import.meta': '{}' } }, // a plain script has none, and needs none
          input: `src/games/${game}/${part}.ts`,
          output: {
            format: 'iife',
            codeSplitting: false,
            entryFileNames: `${game}-${part}.js`,
            assetFileNames: `${game}-${part}[extname]`,
          },
        },
      },
    })
    first = false
  }
}
