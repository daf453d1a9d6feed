/** Brings the page to life from what the exporting command has written into it. */

import { mount } from 'svelte'
import '../app.css'
import '../kit/signs.css'
import type { GameParts } from '../lib/boards'
import { EngineClient } from './client'
import type { Facts } from './engine'
import { setGame } from './only_game'
import Page from './Page.svelte'
import { Table } from './table.svelte'

function written(id: string): string {
  return document.getElementById(id)?.textContent ?? ''
}

/** The module, which is in the page as letters, packed. */
async function unpacked(letters: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(letters.trim()), (letter) => letter.charCodeAt(0))
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).arrayBuffer()
}

export function openPage(parts: GameParts): void {
  setGame(parts)
  const target = document.getElementById('app')
  if (!target) return
  const facts = JSON.parse(written('facts')) as Facts
  void unpacked(written('module'))
    .then((module) => EngineClient.open(written('engine'), module, facts))
    .then((engine) => {
      const table = new Table(facts, engine)
      mount(Page, { target, props: { table, parts } })
      return table.begin()
    })
    .catch((problem: Error) => {
      target.textContent = `This page cannot start in this browser: ${problem.message}`
      target.setAttribute('role', 'alert')
    })
}
