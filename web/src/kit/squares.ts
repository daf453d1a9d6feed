/** Boards of squares: where a square such as `b2` lies, seen from either side. */

import type { Place } from './places'

export interface Grid {
  side: number
  cell: number
  left: number
  top: number
  flipped: boolean // seen from the upper side
}

export function centreOf(grid: Grid, square: string): { x: number; y: number } {
  let column = square.charCodeAt(0) - 97
  let row = grid.side - Number(square.slice(1))
  if (grid.flipped) {
    column = grid.side - 1 - column
    row = grid.side - 1 - row
  }
  return { x: grid.left + (column + 0.5) * grid.cell, y: grid.top + (row + 0.5) * grid.cell }
}

/** All squares in reading order, as they are seen. */
export function squaresOf(grid: Grid): string[] {
  const names = Array.from({ length: grid.side * grid.side }, (_, index) => {
    const row = Math.floor(index / grid.side)
    return `${String.fromCharCode(97 + (index % grid.side))}${grid.side - row}`
  })
  return grid.flipped ? names.reverse() : names
}

export function placesOf(grid: Grid, words: (square: string) => string): Place[] {
  return squaresOf(grid).map((name) => ({
    name,
    ...centreOf(grid, name),
    width: grid.cell - 4,
    height: grid.cell - 4,
    words: words(name),
  }))
}

/** Letters under the board and numbers beside it, as they are seen. */
export function coordinates(grid: Grid): { text: string; x: number; y: number }[] {
  const found = []
  const bottom = grid.top + grid.side * grid.cell
  for (let index = 0; index < grid.side; index++) {
    const letter = String.fromCharCode(97 + (grid.flipped ? grid.side - 1 - index : index))
    const digit = String(grid.flipped ? index + 1 : grid.side - index)
    found.push({ text: letter, x: grid.left + (index + 0.5) * grid.cell, y: bottom + 19 })
    found.push({ text: digit, x: grid.left - 14, y: grid.top + (index + 0.5) * grid.cell + 5 })
  }
  return found
}
