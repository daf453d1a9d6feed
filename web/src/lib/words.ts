/** Numbers and names as words on the screen. */

import type { DrawState, LegalAction, Now, Outcome, SeatFacts, Thoughts } from './protocol'

export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const tenth = seconds < 10 ? `.${Math.floor((seconds - whole) * 10)}` : ''
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}${tenth}`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a player is called: by its own name, a program without one by that of its kind. */
export function playerName(seat: SeatFacts): string {
  const own = seat.name && seat.name !== capital(seat.seat) ? seat.name : ''
  if (own || seat.agent === null) return own || seat.title
  return seat.agent.split(':')[0]?.split('/').at(-1) ?? seat.title
}

/** The players by seat; those of the same name are told apart by their seats. */
export function playerNames(seats: SeatFacts[]): string[] {
  const names = seats.map(playerName)
  return names.map((name, seat) =>
    names.filter((each) => each === name).length > 1 && name !== seats[seat]?.title
      ? `${name} (${seats[seat]?.title})`
      : name,
  )
}

/** Whose turn it is, to whoever sits on a seat or watches. */
export function turnWords(now: Now, names: string[], you: number | null): string {
  if (now.turn === null) return now.status
  const name = names[now.turn] ?? ''
  if (now.turn === you) return 'Your turn'
  if (you === null) return `${name} is ${now.thinking ? 'thinking' : 'to act'}`
  return now.preparing ? `${name} is getting ready for its first move` : `Waiting for ${name}`
}

/** What was said about a draw, to whoever sits on a seat or watches; empty: nothing. */
export function drawWords(
  draw: DrawState,
  names: string[],
  you: number | null,
  program: 'thinks' | 'waits' | null = null, // what the program does that is asked, if it is one
): string {
  const who = (seat: number) => names[seat] ?? 'a player'
  if (draw.offered_by !== null) {
    if (draw.offered_by !== you) return `${who(draw.offered_by)} offers a draw.`
    if (program === null) return 'You offer a draw.'
    const answer = program === 'thinks' ? 'thinks about it' : 'answers after your move'
    return `You offer a draw; ${who(1 - you)} ${answer}.`
  }
  if (draw.declined_by === null) return ''
  if (draw.declined_by === you) return 'You play on.'
  return `${who(draw.declined_by)} declines the draw and plays on.`
}

export interface EndWords {
  head: string // who has won
  more: string // and why
}

/** How a game ended, to whoever sits on a seat or watches. */
export function endWords(
  outcome: Outcome,
  names: string[],
  you: number | null,
  winners: boolean,
): EndWords {
  const best = Math.max(...outcome.scores)
  const first = names.map((_, seat) => seat).filter((seat) => outcome.scores[seat] === best)
  const winner = first.length === 1 ? (first[0] ?? null) : null
  const wins = winner === null ? 'nobody wins alone' : `${names[winner]} wins`
  if (outcome.forfeited_by !== null) {
    const given = giveUpWords(outcome, names, you)
    if (winner === you && you !== null) return { head: 'You won', more: capital(given) }
    return { head: capital(`${given}; ${wins}`), more: '' }
  }
  const more = capital(outcome.reason)
  if (!winners) {
    const who = you === 0 ? 'You' : (names[0] ?? '')
    return { head: `${who} scored ${scoreText(outcome.scores[0] ?? 0)}`, more }
  }
  if (winner === null) {
    return { head: first.length === names.length ? 'A draw' : 'Nobody wins alone', more }
  }
  if (you === null) return { head: capital(wins), more }
  return winner === you ? { head: 'You won', more } : { head: `You lost; ${wins}`, more }
}

/** Who gave up, and how: `you resigned`. */
function giveUpWords(outcome: Outcome, names: string[], you: number | null): string {
  const seat = outcome.forfeited_by ?? 0
  const yours = seat === you
  const who = yours ? 'you' : (names[seat] ?? 'a seat')
  if (/ resigns$/.test(outcome.reason)) return `${who} resigned`
  if (/its time is up$/.test(outcome.reason)) {
    return yours ? 'your time is up' : `the time of ${who} is up`
  }
  return `${who} ${yours ? 'have' : 'has'} forfeited: ${outcome.reason.replace(/^.*? forfeits: /, '')}`
}

/** Who has won and why, in one line for those who watch. */
export function outcomeText(outcome: Outcome, names: string[], winners: boolean): string {
  const { head, more } = endWords(outcome, names, null, winners)
  return more ? `${head}: ${more.charAt(0).toLowerCase()}${more.slice(1)}` : head
}

/** Advice in words: `Move a unit from c1 to c2 (twice), then end the turn`. */
export function hintWords(actions: LegalAction[]): string {
  const counts = new Map<string, number>()
  for (const { label } of actions) counts.set(label, (counts.get(label) ?? 0) + 1)
  const words = [...counts].map(([label, count], index) => {
    const text = index ? label.charAt(0).toLowerCase() + label.slice(1) : label
    return count > 1 ? `${text} (${count === 2 ? 'twice' : `${count} times`})` : text
  })
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')}, then ${words.at(-1)}`
}

/** The one number of an analysis that means something to a player; empty if there is none. */
export function worthWords(thoughts: Thoughts | null): string {
  if (thoughts?.value == null || thoughts.scale === 'own') return ''
  if (thoughts.scale === 'chance') return `Your chance to win: ${percent(thoughts.value)}`
  return `Expected score: ${thoughts.value.toFixed(1)}`
}

/** A score without more digits than it has. */
export function scoreText(score: number): string {
  return Number.isInteger(score) ? String(score) : score.toFixed(2)
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`
}

/** Words of a label such as `ensureSupply`: ensure supply. */
export function spaced(name: string): string {
  return name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** A value as its scale says it: a chance, a score, or a number of a program's own. */
export function valueText(value: number, scale: 'chance' | 'score' | 'own'): string {
  return scale === 'chance' ? `${(100 * value).toFixed(1)}%` : scoreText(value)
}
