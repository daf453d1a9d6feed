/** Outlines of the signs on the board, the same as in the drawings of the package. */

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
