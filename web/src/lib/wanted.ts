/** What a form says, as the server wants it. */

import type { AgentInfo, GamePreset } from './protocol'

/** Agents that no one can meet in a browser: the terminal's person, programs of the server's owner. */
export const NOBODY_ELSE = ['human', 'external', 'scripted']

/** What tells presets of a game apart: those that seat players share their spec with others. */
export function presetKey(preset: GamePreset | undefined): string {
  return (preset?.seats.length ? preset.title : preset?.spec) ?? ''
}

/** The spec of a game with options that differ from the preset's: `stratego:variant=mini,setup=choose`. */
export function chosenSpec(preset: string, options: Record<string, string>): string {
  const [name = '', written = ''] = splitOnce(preset, ':')
  const all = new Map<string, string>()
  for (const pair of written.split(',').filter(Boolean)) {
    const [key = '', value = ''] = splitOnce(pair, '=')
    all.set(key, value)
  }
  for (const [key, value] of Object.entries(options)) if (value !== '') all.set(key, value)
  if (!all.size) return name
  return `${name}:${[...all].map(([key, value]) => `${key}=${value}`).join(',')}`
}

function splitOnce(text: string, at: string): [string, string?] {
  const place = text.indexOf(at)
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)]
}

/** The program to begin with in a match: a champion if there is one for the seat. */
export function opponentFor(agents: AgentInfo[], seat: string): string {
  const able = agents.filter((agent) => agent.seats.includes(seat))
  const named = (part: string) => able.find((agent) => agent.name.includes(part))
  return (
    (
      named('champion') ??
      named('baseline') ??
      able.find((agent) => agent.name.includes('/')) ??
      able[0]
    )?.name ?? 'random'
  )
}

export type SeatWanted = { person: string; open?: boolean } | { agent: string }

/** The seats of a form (`you`, `person`, `agent:SPEC`) as the server wants them. */
export function seatsWanted(
  seats: string[],
  name: string,
  settings: Record<number, string>,
  weights: Record<number, string> = {},
  open = false, // to anybody who comes to the first page
): SeatWanted[] {
  return seats.map((seat, index) => {
    if (seat === 'you') return { person: name.trim() }
    if (seat === 'person') return open ? { person: '', open } : { person: '' }
    const file = weights[index] ? `weights=@${weights[index]}` : ''
    const extra = [settings[index]?.trim(), file].filter(Boolean).join(',')
    return { agent: seat.slice(6) + (extra ? `:${extra}` : '') }
  })
}
