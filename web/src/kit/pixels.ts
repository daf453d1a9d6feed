/** Text in a drawing that stays readable however small the drawing is. */

import type { Action } from 'svelte/action'

interface Size {
  width: number
  height: number
}

/**
 * Keep in `--pixel` how many units of a drawing are one pixel of the screen. The style of a text,
 * `font-size: max(13px, calc(var(--least-text) * var(--pixel, 1)))`, then never falls below that.
 */
export const pixels: Action<SVGSVGElement, Size> = (svg, size) => {
  let drawn = size

  function measure(): void {
    const box = svg.getBoundingClientRect()
    if (!box.width || !box.height) return
    const unit = Math.max(drawn.width / box.width, drawn.height / box.height)
    svg.style.setProperty('--pixel', unit.toFixed(3))
  }

  const observer = new ResizeObserver(measure)
  observer.observe(svg)
  return {
    update(next: Size): void {
      drawn = next
      measure()
    },
    destroy: () => observer.disconnect(),
  }
}
