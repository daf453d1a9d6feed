import { describe, expect, it } from 'vitest'
import { advisers } from '../src/lib/advisers'
import { address } from '../src/lib/api'
import { seatStyle } from '../src/lib/colours'
import { rowsOf, withInterval, type Match } from '../src/lib/match'
import { chosenSpec, opponentFor, seatsWanted } from '../src/lib/wanted'
import { clockText, outcomeText, percent, spaced } from '../src/lib/words'

describe('what a form says', () => {
  it.each([
    ['lucid', {}, 'lucid'],
    ['stratego:variant=mini', { setup: 'choose' }, 'stratego:variant=mini,setup=choose'],
    ['stratego:variant=mini', { variant: 'duel' }, 'stratego:variant=duel'],
    ['skirmish', { level: '' }, 'skirmish'],
  ])('%s with %o is %s', (preset, options, spec) => {
    expect(chosenSpec(preset, options as Record<string, string>)).toBe(spec)
  })

  it('seats people and programs', () => {
    const seats = ['you', 'person', 'agent:alphabeta']
    expect(seatsWanted(seats, ' Ada ', { 2: 'budget=50' })).toEqual([
      { person: 'Ada' },
      { person: '' },
      { agent: 'alphabeta:budget=50' },
    ])
  })

  it('offers the strongest program that can take the seat', () => {
    const agent = (name: string, seats: string[]) => ({ name, summary: '', seats, explains: false, values: false })
    const agents = [
      agent('random', ['blue', 'red']),
      agent('lucid/simple-blue', ['blue']),
      agent('lucid/champion-red', ['red']),
    ]
    expect(opponentFor(agents, 'red')).toBe('lucid/champion-red')
    expect(opponentFor(agents, 'blue')).toBe('lucid/simple-blue')
    expect(opponentFor([], 'blue')).toBe('random')
  })
})

describe('words', () => {
  it('tell clocks, shares and labels', () => {
    expect([605, 59.9, 9.87, 0].map(clockText)).toEqual(['10:05', '0:59', '0:09.8', '0:00.0'])
    expect([0.5, 0.034, 0].map(percent)).toEqual(['50%', '3.4%', '0%'])
    expect(spaced('ensureSupply')).toBe('ensure supply')
  })

  it('tell how a game ended', () => {
    const outcome = { scores: [1, -1], reason: 'the flag is taken', forfeited_by: null }
    expect(outcomeText(outcome, ['Red', 'Blue'], true)).toBe('Red wins: the flag is taken')
    expect(outcomeText({ ...outcome, scores: [0, 0] }, ['Red', 'Blue'], true)).toBe(
      'Nobody wins alone: the flag is taken',
    )
    expect(outcomeText({ ...outcome, scores: [9, -9] }, ['Blue', 'Red'], false)).toBe(
      '9 for Blue: the flag is taken',
    )
    expect(outcomeText({ ...outcome, forfeited_by: 1 }, ['Red', 'Blue'], true)).toContain(
      'Blue forfeits',
    )
  })
})

describe('requests and results', () => {
  it('leave out empty parameters', () => {
    expect(address('/api/archive', { game: '', agent: 'a/b', offset: 0, seat: null })).toBe(
      '/api/archive?agent=a%2Fb&offset=0',
    )
  })

  it('show agents where seats were rotated, and intervals where there are some', () => {
    const row = { agent: 'random', mean: 1, low: null, high: null, forfeits: 0 }
    const match: Match = {
      game: 'lucid',
      games: 1,
      games_wanted: 1,
      seats: [row],
      agents: [{ ...row, agent: 'x' }],
    }
    expect(rowsOf(match)[0]?.agent).toBe('x')
    expect(withInterval(1, null, null, String)).toBe('1')
    expect(withInterval(1, 0, 2, String)).toBe('1 [0, 2]')
    expect(withInterval(undefined, 0, 2, String)).toBe('')
  })
})

describe('programs to ask', () => {
  it('names those with values first, and what played with its settings', () => {
    const agent = (name: string, values: boolean, explains: boolean) => ({
      name,
      summary: '',
      seats: ['first'],
      explains,
      values,
    })
    const agents = [
      agent('human', false, false),
      agent('random', false, false),
      agent('game/explaining', false, true),
      agent('game/learned', true, false),
      agent('game/champion', true, false),
    ]
    const found = advisers(agents, ['game/learned:budget=9', 'human', 'random'])
    expect(found.map((each) => each.label)).toEqual([
      'game/learned:budget=9 (played, values)',
      'game/champion (values)',
      'game/learned (values)',
      'random (played)',
      'game/explaining (explains)',
    ])
  })
})

describe('colours of seats', () => {
  it('are those of the theme by name, or mixed from one', () => {
    const style = seatStyle(['red', '#7a55a8', 'red; color: blue'])
    expect(style).toContain('--seat-0: var(--red); --seat-0-ink: var(--red-ink)')
    expect(style).toContain('--seat-1: #7a55a8; ')
    expect(style).not.toContain('--seat-2')
  })
})
