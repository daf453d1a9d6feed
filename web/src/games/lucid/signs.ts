/** Outlines of the signs on the board, the same as in the drawings of the package. */

export function burst(outer: number, inner: number): string {
  const points = Array.from({ length: 20 }, (_, index) => {
    const radius = index % 2 ? inner : outer
    const angle = (Math.PI * index) / 10
    return `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`
  })
  return `M${points.join(' L')} Z`
}

/** Colours of the force groups, on the map and beside their labels. */
export const GROUP_COLOURS = ['#7b3fa0', '#0f8a7e', '#b8570b', '#9c1f5e', '#3d6b1f', '#3248b0']
