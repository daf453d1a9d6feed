/** Advice drawn on a board: an arrow from place to place, or a ring round one. */

import type { Place } from './places'

export interface HintMark {
  from?: string | null
  to?: string | null
}

export interface Arrow {
  key: string
  d: string
  transform: string
  count: number // units that go the same way
  x: number // of the number, in the middle
  y: number
}

export interface HintDrawing {
  arrows: Arrow[]
  rings: Place[]
}

/** What to draw, as far as the board has the places; the same arrow is drawn once and counted. */
export function hintDrawing(marks: HintMark[], places: Place[], line: number): HintDrawing {
  const known = new Map(places.map((place) => [place.name, place]))
  const arrows = new Map<string, Arrow>()
  const rings = new Map<string, Place>()
  for (const { from, to } of marks) {
    const start = known.get(from ?? '')
    const end = known.get(to ?? '')
    if (start && end && start !== end) {
      const key = `${from} ${to}`
      const before = arrows.get(key)
      if (before) before.count += 1
      else arrows.set(key, arrowBetween(key, start, end, line))
    } else if (start ?? end) {
      const place = (start ?? end) as Place
      rings.set(place.name, place)
    }
  }
  return { arrows: [...arrows.values()], rings: [...rings.values()] }
}

function arrowBetween(key: string, start: Place, end: Place, line: number): Arrow {
  const angle = (Math.atan2(end.y - start.y, end.x - start.x) * 180) / Math.PI
  const length = Math.hypot(end.x - start.x, end.y - start.y)
  const head = 3.2 * line
  return {
    key,
    d:
      `M0 ${-line * 0.9} H${length - head} V${-head * 0.75} L${length} 0 ` +
      `L${length - head} ${head * 0.75} V${line * 0.9} H0 Z`,
    transform: `translate(${start.x} ${start.y}) rotate(${angle.toFixed(1)})`,
    count: 1,
    x: (start.x + end.x) / 2,
    y: (start.y + end.y) / 2,
  }
}
