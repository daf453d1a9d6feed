/** The units of Skirmish and what they can do. */

import type { LegendEntry } from '../../lib/boards'
import UnitSign from './UnitSign.svelte'

export const POWERS: Record<string, string> = {
  town: 'Never moves; raises a worker every 12 half-turns and goes at 60.',
  barracks: 'Never moves; raises a soldier at 8 and at 16 half-turns, then goes.',
  worker: 'Steps to free land, or becomes a barracks where it stands; takes nothing.',
  soldier: 'Steps to land one square away in any direction, or takes the enemy there.',
}

export const legend: LegendEntry[] = Object.entries(POWERS).map(([kind, powers]) => ({
  name: kind.charAt(0).toUpperCase() + kind.slice(1),
  powers,
  part: UnitSign as never,
  props: { kind },
}))
