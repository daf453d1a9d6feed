/** On a page without a server: the one game there is, in place of lib/games.svelte.ts. */

import type { GamePage, GameParts } from '../lib/boards'

let only: GameParts | null = null

export function setGame(parts: GameParts): void {
  only = parts
}

export const gamePages: GamePage[] = []

export const loadedGames = { of: (_name: string): GameParts | null => only }
