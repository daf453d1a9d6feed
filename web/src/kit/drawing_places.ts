/**
 * The places of a drawing that came as SVG: elements with `data-place`, and where they lie.
 *
 * The drawing itself is shown as an image, in which no script runs and nothing is loaded. To measure
 * it a bare copy is made from the outlines alone, with nothing in it that could do anything.
 */

import type { Place } from './places'

const SHAPES = new Set('g rect circle ellipse line polyline polygon path text tspan svg'.split(' '))
const OUTLINES = new Set(
  (
    'x y dx dy width height cx cy r rx ry x1 y1 x2 y2 points d transform viewBox font-size ' +
    'text-anchor preserveAspectRatio data-place'
  ).split(' '),
)
const SVG = 'http://www.w3.org/2000/svg'

export interface DrawingPlaces {
  width: number
  height: number
  places: Place[]
}

/** Scripts and styles, which are of no use here; the page's policy would report each of them. */
const NO_OUTLINES =
  /<(script|style)\b[^>]*>[^]*?<\/\1>|\s(?:on\w+|style)\s*=\s*(?:"[^"]*"|'[^']*')/gi

function parsed(svg: string): Element | null {
  const bare = svg.replace(NO_OUTLINES, '')
  const root = new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement
  return root.localName === 'svg' && root.namespaceURI === SVG ? root : null
}

/** The names of the places that can be touched. */
export function placeNames(svg: string | null): Set<string> {
  const found = svg ? (parsed(svg)?.querySelectorAll('[data-place]') ?? []) : []
  return new Set([...found].map((element) => element.getAttribute('data-place') ?? ''))
}

/** Where the places lie, in the drawing's own units from its upper left corner. */
export function drawingPlaces(svg: string): DrawingPlaces | null {
  const root = parsed(svg)
  const frame = root && frameOf(root)
  if (!root || !frame) return null
  const copy = outlines(root) as SVGSVGElement
  copy.setAttribute('viewBox', `${frame.x} ${frame.y} ${frame.width} ${frame.height}`)
  copy.setAttribute('width', String(frame.width))
  copy.setAttribute('height', String(frame.height))
  copy.style.cssText = 'position: absolute; left: 0; top: 0; visibility: hidden'
  copy.setAttribute('aria-hidden', 'true')
  document.body.append(copy)
  try {
    return { width: frame.width, height: frame.height, places: measured(root, copy, frame) }
  } finally {
    copy.remove()
  }
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

function frameOf(root: Element): Box | null {
  const given = (root.getAttribute('viewBox') ?? '').trim().split(/[\s,]+/).map(Number)
  const [x = 0, y = 0, width = 0, height = 0] =
    given.length === 4
      ? given
      : [0, 0, ...['width', 'height'].map((name) => parseFloat(root.getAttribute(name) ?? ''))]
  return width > 0 && height > 0 ? { x, y, width, height } : null
}

/** A copy of the outlines alone. */
function outlines(element: Element): Element {
  const copy = document.createElementNS(SVG, element.localName)
  for (const { name, value } of element.attributes) {
    if (OUTLINES.has(name)) copy.setAttribute(name, value)
  }
  for (const child of element.childNodes) {
    if (child instanceof Element) {
      if (SHAPES.has(child.localName)) copy.append(outlines(child))
    } else if (child.nodeType === Node.TEXT_NODE) {
      copy.append(child.textContent ?? '')
    }
  }
  return copy
}

function measured(root: Element, copy: SVGSVGElement, frame: Box): Place[] {
  const whole = copy.getScreenCTM()?.inverse()
  const originals = [...root.querySelectorAll('[data-place]')]
  const words = new Map(originals.map((each) => [each.getAttribute('data-place'), wordsOf(each)]))
  const places = new Map<string, Place>()
  for (const element of copy.querySelectorAll<SVGGraphicsElement>('[data-place]')) {
    const name = element.getAttribute('data-place') ?? ''
    const matrix = element.getScreenCTM()
    if (!name || !whole || !matrix) continue
    const box = boxIn(element.getBBox(), whole.multiply(matrix))
    if (!(box.width > 0 && box.height > 0)) continue
    places.set(name, {
      name,
      x: box.x + box.width / 2 - frame.x,
      y: box.y + box.height / 2 - frame.y,
      width: box.width,
      height: box.height,
      words: words.get(name) || name,
    })
  }
  return [...places.values()]
}

/** What a drawing says of a place to those who cannot see it. */
function wordsOf(element: Element): string {
  const title = [...element.children].find((child) => child.localName === 'title')
  return (title?.textContent ?? element.getAttribute('aria-label') ?? '').trim()
}

function boxIn(box: DOMRect, matrix: DOMMatrix): Box {
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))
  const left = Math.min(...corners.map((corner) => corner.x))
  const top = Math.min(...corners.map((corner) => corner.y))
  return {
    x: left,
    y: top,
    width: Math.max(...corners.map((corner) => corner.x)) - left,
    height: Math.max(...corners.map((corner) => corner.y)) - top,
  }
}
