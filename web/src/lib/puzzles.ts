/** The puzzles that whoever uses this browser has solved, by names that stay the same. */

const KEY = 'sandtable.puzzles'

export function solvedPuzzles(): Set<string> {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown
    return new Set(Array.isArray(kept) ? kept.map(String) : [])
  } catch {
    return new Set()
  }
}

/** Note that a puzzle was solved; where nothing can be kept it is forgotten with the page. */
export function noteSolved(name: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...solvedPuzzles().add(name)]))
  } catch {
    // storage is closed to this page
  }
}

/** The number of the next puzzle that is not solved, after one and then from the beginning. */
export function nextNumber(names: string[], after: number, solved: Set<string>): number {
  const order = names.map((_, index) => (after + index) % names.length)
  const place = order.find((index) => !solved.has(names[index] ?? ''))
  return (place ?? after % names.length) + 1
}
