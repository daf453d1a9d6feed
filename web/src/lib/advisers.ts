/** Programs that can be asked about a game, those that have most to say first. */

import type { AgentInfo } from './protocol'
import { NOBODY_ELSE } from './wanted'

export interface Adviser {
  spec: string
  label: string
  values: boolean
}

/** What programs there are to ask: those that played, with their settings, come first. */
export function advisers(agents: AgentInfo[], players: string[]): Adviser[] {
  const known = new Map(agents.map((each) => [each.name, each]))
  const played = [...new Set(players)].filter(
    (spec) => known.has(nameOf(spec)) && !NOBODY_ELSE.includes(nameOf(spec)),
  )
  const others = agents.map((each) => each.name).filter((name) => !NOBODY_ELSE.includes(name))
  const found = [...new Set([...played, ...others])].map((spec) =>
    adviser(spec, known.get(nameOf(spec)), played.includes(spec)),
  )
  return found.sort((one, other) => rank(other, played) - rank(one, played))
}

function nameOf(spec: string): string {
  return spec.split(':')[0] ?? spec
}

function adviser(spec: string, info: AgentInfo | undefined, played: boolean): Adviser {
  const marks = [
    played ? 'played' : '',
    info?.values ? 'values' : '',
    info?.explains ? 'explains' : '',
  ]
  const told = marks.filter(Boolean).join(', ')
  return { spec, label: told ? `${spec} (${told})` : spec, values: info?.values ?? false }
}

/** Values count most, then having played, then being a champion. */
function rank(each: Adviser, played: string[]): number {
  return (
    (each.values ? 4 : 0) +
    (played.includes(each.spec) ? 2 : 0) +
    (each.spec.includes('champion') ? 1 : 0)
  )
}
