/** Programs that can be asked about a position: what a list says of them. */

import type { Adviser } from './protocol'

/** The name with what it can do here: `lucid/champion-blue (played, values)`. */
export function adviserLabel({ spec, played, values, explains }: Adviser): string {
  const marks = [played ? 'played' : '', values ? 'values' : '', explains ? 'explains' : '']
  const told = marks.filter(Boolean).join(', ')
  return told ? `${spec} (${told})` : spec
}
