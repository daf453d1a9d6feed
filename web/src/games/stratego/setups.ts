/** Set-ups as rows of letters, and what an editor does to them. */

/** The set-up in a mirror. */
export function mirrored(rows: string[]): string[] {
  return rows.map((row) => row.split('').reverse().join(''))
}

/** The same pieces anywhere. */
export function shuffled(rows: string[], random: () => number = Math.random): string[] {
  const cells = rows.join('').split('')
  for (let index = cells.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    ;[cells[index], cells[other]] = [cells[other] ?? '.', cells[index] ?? '.']
  }
  const width = rows[0]?.length ?? 1
  return rows.map((_, row) => cells.slice(row * width, (row + 1) * width).join(''))
}

/** Rows of an army in no order: as many squares as there are, the rest empty. */
export function rowsOf(army: Record<string, number>, squares: number, columns: number): string[] {
  const letters = Object.entries(army).flatMap(([rank, count]) => Array<string>(count).fill(rank))
  const cells = [...letters, ...Array<string>(Math.max(0, squares - letters.length)).fill('.')]
  return Array.from({ length: squares / columns }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns).join(''),
  )
}
