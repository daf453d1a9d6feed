/** Levels of Skirmish as one line of text, both ways. */

export type Tile = '.' | 'x' | 'T' | 't'

const SIDE = 8

export function emptyLevel(): Tile[] {
  return Array<Tile>(SIDE * SIDE).fill('.')
}

/** Read `8/x3t3/...`; null if it is no level. */
export function parseLevel(text: string): Tile[] | null {
  const rows = text.split('/')
  if (rows.length !== SIDE) return null
  const tiles: Tile[] = []
  for (const row of rows) {
    const found: Tile[] = []
    for (const sign of row) {
      if (/[1-8]/.test(sign)) found.push(...Array<Tile>(Number(sign)).fill('.'))
      else if (sign === 'x' || sign === 'T' || sign === 't') found.push(sign)
      else return null
    }
    if (found.length !== SIDE) return null
    tiles.push(...found)
  }
  return tiles
}

export function levelText(tiles: Tile[]): string {
  const rows = []
  for (let row = 0; row < SIDE; row++) {
    let text = ''
    let land = 0
    for (const tile of tiles.slice(row * SIDE, (row + 1) * SIDE)) {
      if (tile === '.') {
        land += 1
        continue
      }
      text += (land || '') + tile
      land = 0
    }
    rows.push(text + (land || ''))
  }
  return rows.join('/')
}
