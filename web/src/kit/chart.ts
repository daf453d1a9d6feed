/** Scales and paths of plots. */

export interface Range {
  low: number
  high: number
}

/** The range of numbers, with a little room; never empty. */
export function rangeOf(numbers: (number | null | undefined)[], room = 0.05): Range {
  const known = numbers.filter(
    (each): each is number => typeof each === 'number' && Number.isFinite(each),
  )
  if (!known.length) return { low: 0, high: 1 }
  const low = Math.min(...known)
  const high = Math.max(...known)
  const extra = (high - low || Math.abs(high) || 1) * room
  return { low: low - extra, high: high + extra }
}

/** About `count` round numbers inside a range. */
export function ticks({ low, high }: Range, count = 4): number[] {
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough
  const found = []
  for (let tick = Math.ceil(low / step); tick * step <= high + step * 1e-9; tick++) {
    found.push(Number((tick * step).toPrecision(12)))
  }
  return found
}

export function scale(value: number, from: Range, low: number, high: number): number {
  return low + ((value - from.low) / (from.high - from.low)) * (high - low)
}

/** A line through points; a gap where a number is missing. */
export function linePath(points: { x: number; y: number | null }[]): string {
  let path = ''
  let pen = false
  for (const { x, y } of points) {
    if (y === null) {
      pen = false
      continue
    }
    path += `${pen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    pen = true
  }
  return path
}

/** The area between an upper and a lower line; a gap (null) parts it. */
export function bandPath(points: ({ x: number; low: number; high: number } | null)[]): string {
  const gap = points.indexOf(null)
  if (gap >= 0) return bandPath(points.slice(0, gap)) + bandPath(points.slice(gap + 1))
  return points.length ? stretchPath(points.filter((point) => point !== null)) : ''
}

function stretchPath(points: { x: number; low: number; high: number }[]): string {
  const upper = points.map(({ x, high }) => `${x.toFixed(1)} ${high.toFixed(1)}`)
  const lower = points.map(({ x, low }) => `${x.toFixed(1)} ${low.toFixed(1)}`).reverse()
  return `M${[...upper, ...lower].join('L')}Z`
}
