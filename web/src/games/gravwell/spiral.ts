/** The spiral track of Gravwell: where the tiles lie around the Singularity, which is the origin. */

const TURNS = 2.75
const INNER = 66
const OUTER = 292
const STEPS = 2000 // to measure the length of the spiral with

export interface TilePlace {
  x: number
  y: number
  heading: number // towards the gate, in degrees
}

function onSpiral(share: number): TilePlace {
  const radius = INNER + (OUTER - INNER) * share
  const angle = 2 * Math.PI * TURNS * share - Math.PI / 2
  const rise = (OUTER - INNER) / (2 * Math.PI * TURNS)
  const heading = ((angle + Math.atan2(radius, rise)) * 180) / Math.PI
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), heading }
}

/** Places of tiles 0 to `count - 1`, from tile 1 on equally far apart on the way. */
export function tilePlaces(count: number): TilePlace[] {
  const points = Array.from({ length: STEPS + 1 }, (_, step) => onSpiral(step / STEPS))
  const lengths = [0]
  for (let step = 1; step <= STEPS; step++) {
    const [here, there] = [points[step - 1]!, points[step]!]
    lengths.push(lengths[step - 1]! + Math.hypot(there.x - here.x, there.y - here.y))
  }
  const places: TilePlace[] = [{ x: 0, y: 0, heading: 0 }]
  let step = 0
  for (let tile = 1; tile < count; tile++) {
    const wanted = (lengths[STEPS]! * (tile - 1)) / (count - 2)
    while (step < STEPS && lengths[step]! < wanted) step++
    places.push(points[step]!)
  }
  return places
}

export function spiralPath(): string {
  const points = Array.from({ length: 181 }, (_, step) => onSpiral(step / 180))
  return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(' L')}`
}
