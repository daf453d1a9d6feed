/** The places of a board: where they lie, and which one is next in a direction. */

export interface Place {
  name: string
  x: number // centre
  y: number
  width: number
  height: number
  words: string // what stands there, for those who cannot see it
  powers?: string // what that can do, for those who do not know it
}

export type Direction = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight'

const STEPS: Record<Direction, [number, number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
}

export function isDirection(key: string): key is Direction {
  return key in STEPS
}

/** The nearest place in a direction; sideways distance counts more than distance ahead. */
export function nextPlace(places: Place[], from: string, direction: Direction): string {
  const here = places.find((place) => place.name === from)
  if (!here) return places[0]?.name ?? from
  const [dx, dy] = STEPS[direction]
  let best = from
  let least = Infinity
  for (const place of places) {
    const ahead = (place.x - here.x) * dx + (place.y - here.y) * dy
    const beside = Math.abs((place.x - here.x) * dy) + Math.abs((place.y - here.y) * dx)
    if (ahead <= 1) continue
    const wide = direction === 'ArrowUp' || direction === 'ArrowDown' ? place.width : place.height
    const cost = ahead + 3 * Math.max(0, beside - wide / 2)
    if (cost < least) {
      least = cost
      best = place.name
    }
  }
  return best
}

/** The place at a point of the drawing, if there is one. */
export function placeAt(places: Place[], x: number, y: number): Place | undefined {
  return places.find(
    (place) =>
      Math.abs(place.x - x) <= place.width / 2 && Math.abs(place.y - y) <= place.height / 2,
  )
}
