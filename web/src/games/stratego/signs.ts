/** Outlines of the signs on the board, the same as in the drawings of the package. */

// Tiles fit into a square from -27 to 27: Red's have a round top, Blue's cut corners.
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
