/** Outlines of the signs that stand on the boards, the same as in the drawings of the package. */

export function burst(outer: number, inner: number): string {
  const points = Array.from({ length: 20 }, (_, index) => {
    const radius = index % 2 ? inner : outer
    const angle = (Math.PI * index) / 10
    return `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`
  })
  return `M${points.join(' L')} Z`
}

/** A part of a circle, clockwise from the top. */
export function arc(radius: number, share: number): string {
  const part = Math.min(share, 0.9999) // a whole circle begins where it ends: nothing to draw
  const angle = 2 * Math.PI * part
  const end = `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`
  return `M0 ${-radius} A${radius} ${radius} 0 ${part > 0.5 ? 1 : 0} 1 ${end}`
}

export const FIGURES: Record<string, string> = {
  town:
    'M-12 -14 H-7 V-10 H-2.5 V-14 H2.5 V-10 H7 V-14 H12 V-6 L8 -3 V7 H-8 V-3 L-12 -6 Z ' +
    'M-13 8.5 H13 V14 H-13 Z',
  barracks: 'M-1 -16 H9 L6.5 -13 L9 -10 H1 V-8 L15 14 H5 L0 4 L-5 14 H-15 L-1 -8 Z',
  worker:
    'M0 -15 A6 6 0 0 1 3.6 -4.2 H6 V-1.5 H4 C4 3 7 5.5 9 8 H-9 C-7 5.5 -4 3 -4 -1.5 ' +
    'H-6 V-4.2 H-3.6 A6 6 0 0 1 0 -15 Z M-11.5 9.5 H11.5 V14 H-11.5 Z',
  soldier:
    'M-8 8 C-8 1 -1.5 0 -1 -5 C-4 -4.5 -5.5 -1.5 -9 0.5 C-11 1.5 -13 0 -12.5 -2.5 ' +
    'C-11.5 -6 -8 -8 -6.5 -11.5 L-6 -16 L-2 -12.5 C7.5 -12 11 -4 10 8 Z ' +
    'M-12 9.5 H12 V14 H-12 Z',
}

export const WAVES = 'M-24 -9 q6 -7 12 0 t12 0 t12 0 M-10 10 q6 -7 12 0 t12 0 t12 0'

// Stratego's tiles fit into a square from -27 to 27: Red's have a round top, Blue's cut corners.
export const TILES = [
  'M-23 27 V-7 A23 20 0 0 1 23 -7 V27 Z',
  'M-23 27 V-14 L-11 -27 H11 L23 -14 V27 Z',
]
export const FACES = [
  'M-19.5 23.5 V-6.5 A19.5 17 0 0 1 19.5 -6.5 V23.5 Z',
  'M-19.5 23.5 V-12.6 L-9.5 -23.5 H9.5 L19.5 -12.6 V23.5 Z',
]
export const FLAG = 'M-10 -14 H-6.5 V-12.5 H13 L8 -6 L13 0.5 H-6.5 V15 H-10 Z'
export const FUSE = 'M6 -7 Q10 -14 15 -12'
export const SPARK =
  'M15 -17 L16.5 -13.5 L20 -12 L16.5 -10.5 L15 -7 L13.5 -10.5 L10 -12 L13.5 -13.5 Z'
export const EYE = 'M-8 0 Q0 -7.5 8 0 Q0 7.5 -8 0 Z'
export const LATTICE = [
  [0, -13],
  [-9, -3],
  [9, -3],
  [0, 7],
  [-9, 17],
  [9, 17],
]
  .map(([x, y]) => `M${x} ${(y ?? 0) - 7} l6 7 l-6 7 l-6 -7 Z`)
  .join(' ')

// Gravwell: what a card does, and a ship that points to the right.
export const KINDS: Record<string, string> = {
  normal: 'M-7 -1.2 H2 V-4 L8 0 L2 4 V1.2 H-7 Z',
  repulsor: 'M-2.5 -4 L-8.5 0 L-2.5 4 Z M2.5 -4 L8.5 0 L2.5 4 Z',
  tractor: 'M-8.5 -4 L-2.5 0 L-8.5 4 Z M8.5 -4 L2.5 0 L8.5 4 Z',
}
export const ROCKET = 'M17 0 L5 -10 H-13 L-8 0 L-13 10 H5 Z'
export const HEXAGON = 'M13 0 L6.5 11.3 L-6.5 11.3 L-13 0 L-6.5 -11.3 L6.5 -11.3 Z'
export const SWIRL = 'M0 0 a5 5 0 0 1 10 0 a9 9 0 0 1 -18 0 a13 13 0 0 1 26 0'

/** Colours of Lucid's force groups, on the map and beside their labels. */
export const GROUP_COLOURS = ['#7b3fa0', '#0f8a7e', '#b8570b', '#9c1f5e', '#3d6b1f', '#3248b0']
