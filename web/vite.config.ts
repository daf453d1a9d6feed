import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// The client is part of the Python package: the built files lie beside the server's code.
export default defineConfig({
  plugins: [svelte()],
  base: '/',
  build: {
    outDir: '../src/sandtable/server/static',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // the content policy of the server allows no inline resources
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8000', '/ws': { target: 'ws://127.0.0.1:8000', ws: true } },
  },
  test: { include: ['tests/**/*.test.ts'] },
})
