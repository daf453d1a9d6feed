/** The colours of seats, as the screen of a game names them. */

const NAMES = ['blue', 'red', 'green', 'yellow'] // of the theme, each with its ink and its words

/** Declarations for an element: `.seat-0` and so on below it get these colours. */
export function seatStyle(colours: string[]): string {
  return colours.map((colour, seat) => declarations(`--seat-${seat}`, colour)).join('')
}

function declarations(name: string, colour: string): string {
  if (NAMES.includes(colour)) {
    return `${name}: var(--${colour}); ${name}-ink: var(--${colour}-ink); ${name}-words: var(--${colour}-words); `
  }
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return ''
  const ink = `color-mix(in srgb, ${colour} 50%, black)`
  const words = `color-mix(in srgb, ${colour} 45%, var(--ink))`
  return `${name}: ${colour}; ${name}-ink: ${ink}; ${name}-words: ${words}; `
}
