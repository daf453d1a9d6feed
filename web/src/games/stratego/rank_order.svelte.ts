/** Whether 1 or 10 is written on the highest rank: a choice that this browser keeps. */

import { readChoice, writeChoice } from '../../lib/settings.svelte'

class RankOrder {
  oneHigh = $state(readChoice('one-high') === 'on')

  toggle(): void {
    this.oneHigh = !this.oneHigh
    writeChoice('one-high', this.oneHigh ? 'on' : 'off')
  }
}

export const rankOrder = new RankOrder()
