/** The signs of Operation Lucid. */

import type { LegendEntry } from '../../lib/boards'
import LegendSign from './LegendSign.svelte'
import LucidUnit from './LucidUnit.svelte'

const FRAME = '-20 -20 40 40'

export const legend: LegendEntry[] = [
  {
    name: "Blue's unit",
    powers: 'Moves one road in a turn; counts when it is in the goal. At most three on a node.',
    part: LucidUnit as never,
    props: { side: 'blue' },
    frame: FRAME,
  },
  {
    name: "Red's unit",
    powers: 'Holds the way; moves like a blue one, but cannot enter the goal.',
    part: LucidUnit as never,
    props: { side: 'red' },
    frame: FRAME,
  },
  {
    name: 'Moved already',
    powers: 'A hollow unit has had its step in this turn.',
    part: LucidUnit as never,
    props: { side: 'blue', spent: true },
    frame: FRAME,
  },
  {
    name: 'Combat',
    powers:
      'Both colours on a node: one unit is lost each turn. The percentage is how likely it is a red one. Attackers cannot leave.',
    part: LegendSign as never,
    props: { sign: 'combat' },
    frame: FRAME,
  },
  {
    name: 'Out of supply',
    powers: 'No way of blue nodes back to row 1: Blue counts one unit less in this combat.',
    part: LegendSign as never,
    props: { sign: 'unsupplied' },
    frame: FRAME,
  },
]
