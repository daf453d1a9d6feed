/** Outlines of the signs on the board, the same as in the drawings of the package. */

// What a card does, and a ship that points to the right.
export const KINDS: Record<string, string> = {
  normal: 'M-7 -1.2 H2 V-4 L8 0 L2 4 V1.2 H-7 Z',
  repulsor: 'M-2.5 -4 L-8.5 0 L-2.5 4 Z M2.5 -4 L8.5 0 L2.5 4 Z',
  tractor: 'M-8.5 -4 L-2.5 0 L-8.5 4 Z M8.5 -4 L2.5 0 L8.5 4 Z',
}
export const ROCKET = 'M17 0 L5 -10 H-13 L-8 0 L-13 10 H5 Z'
export const HEXAGON = 'M13 0 L6.5 11.3 L-6.5 11.3 L-13 0 L-6.5 -11.3 L6.5 -11.3 Z'
export const SWIRL = 'M0 0 a5 5 0 0 1 10 0 a9 9 0 0 1 -18 0 a13 13 0 0 1 26 0'
