/** A list of actions folded into turns, each a row of the list of moves. */

import type { LogEntry } from './protocol'

export interface TurnRow {
  label: string // the number of the turn; empty: before the first one
  newLabel: boolean // the row before has another
  seat: number
  first: number // plies
  last: number
  text: string
  events: string[]
}

/** Fold what a seat did in one turn into one row. */
export function turnRows(log: LogEntry[]): TurnRow[] {
  const rows: (TurnRow & { names: string[] })[] = []
  for (const entry of log) {
    if (entry.text === null && !entry.events.length) continue
    const before = rows.at(-1)
    const told = entry.events.filter((event) => event.kind !== 'move').map((event) => event.text)
    if (before && before.seat === entry.seat && before.label === entry.turn_label) {
      before.last = entry.ply
      before.names.push(entry.text ?? '')
      before.events.push(...told)
    } else {
      rows.push({
        label: entry.turn_label,
        newLabel: before?.label !== entry.turn_label,
        seat: entry.seat,
        first: entry.ply,
        last: entry.ply,
        text: '',
        names: [entry.text ?? ''],
        events: told,
      })
    }
  }
  return rows.map(({ names, ...row }) => ({ ...row, text: row.label ? folded(names) : 'set-up' }))
}

/** Names of actions in a row, the same ones counted: `c1-c2 x2, d1-d2`. */
export function folded(names: string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  const words = [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name))
  if (words.length > 1 && words.at(-1) === 'end') words.pop() // every turn has one
  return words.join(', ') || 'a secret choice'
}
