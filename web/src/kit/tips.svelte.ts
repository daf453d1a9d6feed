/** What something is, said beside it: on resting the pointer there, or on a long press. */

import type { Action } from 'svelte/action'

const REST = 450 // milliseconds
const STAY = 3500 // after the finger has gone
const SHAKY = 10 // pixels that a finger may move

class Tips {
  text = $state('')
  x = $state(0)
  y = $state(0)
  private timer: ReturnType<typeof setTimeout> | undefined

  showSoon(text: string, event: PointerEvent, wait = REST): void {
    clearTimeout(this.timer)
    const { clientX, clientY } = event
    this.timer = setTimeout(() => {
      this.text = text
      this.x = clientX
      this.y = clientY
    }, wait)
  }

  hide(wait = 0): void {
    clearTimeout(this.timer)
    if (wait && this.text) this.timer = setTimeout(() => (this.text = ''), wait)
    else this.text = ''
  }
}

export const tips = new Tips()

/** Say these words of an element; empty ones say nothing. */
export const tip: Action<HTMLElement | SVGElement, string> = (node, words) => {
  let text = words
  let pressed: { x: number; y: number; at: number } | null = null

  function down(event: PointerEvent): void {
    if (event.pointerType === 'mouse' || !text) return tips.hide()
    pressed = { x: event.clientX, y: event.clientY, at: performance.now() }
    tips.showSoon(text, event)
  }

  function move(event: PointerEvent): void {
    if (event.pointerType === 'mouse') {
      if (text && !event.buttons && !tips.text) tips.showSoon(text, event)
    } else if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > SHAKY) {
      pressed = null
      tips.hide()
    }
  }

  function up(event: PointerEvent): void {
    if (event.pointerType !== 'mouse') tips.hide(STAY)
  }

  /** The click at the end of a long press chooses nothing. */
  function click(event: Event): void {
    const long = pressed !== null && performance.now() - pressed.at > REST
    pressed = null
    if (!long) return tips.hide()
    event.stopPropagation()
    event.preventDefault()
  }

  function noMenu(event: Event): void {
    if (pressed) event.preventDefault()
  }

  const leave = () => tips.hide(tips.text && pressed ? STAY : 0)
  const heard: [string, EventListener][] = [
    ['pointerdown', down as EventListener],
    ['pointermove', move as EventListener],
    ['pointerup', up as EventListener],
    ['pointerleave', leave],
    ['click', click],
    ['contextmenu', noMenu],
  ]
  for (const [name, listener] of heard) node.addEventListener(name, listener)
  return {
    update: (next: string) => (text = next),
    destroy: () => {
      for (const [name, listener] of heard) node.removeEventListener(name, listener)
      tips.hide()
    },
  }
}
