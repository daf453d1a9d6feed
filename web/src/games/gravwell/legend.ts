/** The cards of Gravwell and what they do. */

import type { LegendEntry } from '../../lib/boards'
import LegendCard from './LegendCard.svelte'
import type { Card } from './types'

const POWERS = {
  normal: (value: number) =>
    `moves your ship ${value} ${value === 1 ? 'tile' : 'tiles'} towards the nearest ship, and past it`,
  repulsor: (value: number) => `moves your ship ${value} tiles away from the nearest ship`,
  tractor: (value: number) => `pulls all other ships ${value} tiles towards yours`,
}

export function cardPowers(card: Card): string {
  return POWERS[card.kind](card.value)
}

const EXAMPLES: [string, string, Card][] = [
  ['Normal card', '', { name: 'H', value: 4, kind: 'normal' }],
  ['Repulsor', '', { name: 'Xe', value: 3, kind: 'repulsor' }],
  ['Tractor', '', { name: 'Qt', value: 3, kind: 'tractor' }],
]

export const legend: LegendEntry[] = [
  ...EXAMPLES.map(([name, , card]) => ({
    name,
    powers: `For example ${card.name}${card.value}: ${cardPowers(card)}.`,
    part: LegendCard as never,
    props: { sign: card.kind },
  })),
  {
    name: 'Hulk',
    powers: 'Nobody owns it, but ships are drawn to it as to any other.',
    part: LegendCard as never,
    props: { sign: 'hulk' },
  },
  {
    name: 'Emergency Stop',
    powers: 'Once in a round your own card can be stopped when it comes up.',
    part: LegendCard as never,
    props: { sign: 'stop' },
  },
]
