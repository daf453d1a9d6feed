/** The games that have a folder here; their parts are loaded when they are first needed. */

import type { GameIndex, GamePage, GameParts } from './boards'

const FOLDERS = import.meta.glob<{ default: GameIndex }>('../games/*/index.ts', { eager: true })

const INDEX = new Map<string, GameIndex>(
  Object.entries(FOLDERS).map(([path, module]) => [path.split('/').at(-2) ?? '', module.default]),
)

/** The pages that games have besides their board. */
export const gamePages: GamePage[] = [...INDEX.values()].flatMap((index) => index.pages ?? [])

class LoadedGames {
  private parts = $state.raw<Record<string, GameParts>>({})
  private wanted = new Set<string>()

  /** The parts of a game: null if it has none, undefined while they are being loaded. */
  of(name: string): GameParts | null | undefined {
    if (!INDEX.has(name)) return null
    void this.load(name)
    return this.parts[name]
  }

  private async load(name: string): Promise<void> {
    if (this.wanted.has(name)) return
    this.wanted.add(name)
    try {
      const found = await INDEX.get(name)?.load()
      if (found) this.parts = { ...this.parts, [name]: found.default }
    } catch {
      this.wanted.delete(name) // the server may be back when it is asked for again
    }
  }
}

export const loadedGames = new LoadedGames()
