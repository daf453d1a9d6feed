import { describe, expect, it } from 'vitest'
import { adviserLabel } from '../src/lib/advisers'
import { positionLink } from '../src/lib/links'
import { lossWords, seatsAgain, sumWords } from '../src/lib/mistakes'
import type { ArchivedGame, Review } from '../src/lib/protocol'
import { address } from '../src/lib/api'
import { seatStyle } from '../src/lib/colours'
import { nextNumber } from '../src/lib/puzzles'
import { rowsOf, withInterval, type Match } from '../src/lib/match'
import { opponentsOf, resultText, turnText } from '../src/lib/results'
import type { RoomSummary } from '../src/lib/protocol'
import { chosenSpec, opponentFor, presetKey, seatsWanted } from '../src/lib/wanted'
import type { Outcome } from '../src/lib/protocol'
import { turnRows } from '../src/lib/turns'
import {
  clockText,
  endWords,
  outcomeText,
  percent,
  playerName,
  playerNames,
  spaced,
} from '../src/lib/words'

describe('what a form says', () => {
  it.each([
    ['lucid', {}, 'lucid'],
    ['stratego:variant=mini', { setup: 'choose' }, 'stratego:variant=mini,setup=choose'],
    ['stratego:variant=mini', { variant: 'duel' }, 'stratego:variant=duel'],
    ['skirmish', { level: '' }, 'skirmish'],
  ])('%s with %o is %s', (preset, options, spec) => {
    expect(chosenSpec(preset, options as Record<string, string>)).toBe(spec)
  })

  it('tells presets of one spec apart', () => {
    const plain = { spec: 'lucid', title: 'Operation Lucid', seats: [] }
    const seated = { spec: 'lucid', title: 'Series', seats: ['you', 'lucid/axes-red'] }
    expect([plain, seated, undefined].map(presetKey)).toEqual(['lucid', 'Series', ''])
  })

  it('seats people and programs', () => {
    const seats = ['you', 'person', 'agent:alphabeta']
    expect(seatsWanted(seats, ' Ada ', { 2: 'budget=50' })).toEqual([
      { person: 'Ada' },
      { person: '' },
      { agent: 'alphabeta:budget=50' },
    ])
  })

  it('names weights of the server by their file', () => {
    const wanted = seatsWanted(['you', 'agent:game/learned'], 'Ann', { 1: 'budget=9' }, { 1: 'mine' })
    expect(wanted[1]).toEqual({ agent: 'game/learned:budget=9,weights=@mine' })
  })

  it('offers the strongest program that can take the seat', () => {
    const agent = (name: string, seats: string[]) => ({ name, summary: '', seats, explains: false, values: false, weights: [] })
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
      'A draw: the flag is taken',
    )
    expect(outcomeText({ ...outcome, scores: [9, -9] }, ['Blue', 'Red'], false)).toBe(
      'Blue scored 9: the flag is taken',
    )
  })

  it('tell a player how it ended for that player', () => {
    const won = { scores: [1, -1], reason: 'Red has taken the flag', forfeited_by: null }
    const told = (outcome: Outcome, you: number) => endWords(outcome, ['Ada', 'Medium'], you, true)
    expect(told(won, 0)).toEqual({ head: 'You won', more: 'Red has taken the flag' })
    expect(told(won, 1).head).toBe('You lost; Ada wins')
    const gone = { scores: [-1, 1], reason: 'red resigns', forfeited_by: 0 }
    expect(told(gone, 0).head).toBe('You resigned; Medium wins')
    expect(told(gone, 1)).toEqual({ head: 'You won', more: 'Ada resigned' })
    const late = { ...gone, reason: 'red forfeits: its time is up' }
    expect(told(late, 0).head).toBe('Your time is up; Medium wins')
    const odd = { ...gone, reason: 'red forfeits: it answered nonsense' }
    expect(told(odd, 1).more).toBe('Ada has forfeited: it answered nonsense')
  })

  it('call players by their names', () => {
    const seat = { seat: 'first', title: 'Blue', kind: 'program' as const }
    const program = { ...seat, name: 'First', agent: 'skirmish/greedy:depth=2' }
    expect(playerNames([program, { ...program, title: 'Red' }])).toEqual([
      'greedy (Blue)',
      'greedy (Red)',
    ])
    expect(playerName({ ...program, name: 'Medium' })).toBe('Medium')
    expect(playerName({ ...seat, kind: 'person', name: 'First', agent: null })).toBe('Blue')
  })

  it('fold the actions of a turn into one row', () => {
    const entry = (ply: number, seat: number, turn_label: string, text: string | null) => ({
      ...{ ply, seat, turn_label, text, action: 1 },
      events: text === 'end' ? [{ kind: 'combat', text: 'a fight' }] : [],
    })
    const rows = turnRows([
      entry(1, 0, '', 'F'),
      entry(2, 0, '', 'B'),
      entry(3, 1, '', null),
      entry(4, 0, '1', 'c1-c2'),
      entry(5, 0, '1', 'c1-c2'),
      entry(6, 0, '1', 'd1-d2'),
      entry(7, 0, '1', 'end'),
      entry(8, 1, '2', 'end'),
    ])
    expect(rows.map((row) => [row.label, row.seat, row.last, row.text])).toEqual([
      ['', 0, 2, 'set-up'],
      ['1', 0, 7, 'c1-c2 ×2, d1-d2'],
      ['2', 1, 8, 'end'],
    ])
    expect(rows[1]?.events).toEqual(['a fight'])
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
    expect(withInterval(null, null, null, String)).toBe('')
  })
})

describe('programs to ask', () => {
  it('are listed with what they can do', () => {
    const each = { spec: 'game/learned:budget=9', plays: true, curve: true }
    expect(adviserLabel({ ...each, played: true, values: true, explains: false })).toBe(
      'game/learned:budget=9 (played, values)',
    )
    expect(adviserLabel({ ...each, played: false, values: false, explains: false })).toBe(each.spec)
  })
})

describe('mistakes', () => {
  const side = { text: 'a', actions: [] }
  const mistake = { ply: 4, last: 5, turn_label: '3', played: side, better: side }
  it('are told in the one unit of the game', () => {
    const chance = { ...mistake, loss: 0.12, played_value: 0.38, better_value: 0.5 }
    expect(lossWords(chance, { scale: 'chance', score_unit: 'points' })).toBe(
      'gave away 12 percentage points of the chance to win: 38% instead of 50%',
    )
    const score = { ...mistake, loss: 1.3, played_value: 8.9, better_value: 10.2 }
    expect(lossWords(score, { scale: 'score', score_unit: 'units' })).toBe(
      'gave away 1.3 units: 8.9 to be expected instead of 10.2',
    )
  })
  it('are added up over all turns', () => {
    const review = { judged: 16, given_away: 3.2, score_unit: 'units', scale: 'score' } as Review
    expect(sumWords(review)).toBe('3.2 units, 0.20 a turn')
    const chances = { ...review, scale: 'chance', given_away: 0.4 } as Review
    expect(sumWords(chances)).toBe('40 percentage points of the chance to win, 2.5 a turn')
  })
  it('are tried again against the same programs', () => {
    const game = { players: ['human', 'game/bot:budget=9', 'human'] } as ArchivedGame
    expect(seatsAgain(game, 0, ' Ann ')).toEqual([
      { person: 'Ann' },
      { agent: 'game/bot:budget=9' },
      { agent: 'level:easy' },
    ])
  })
})

describe('links to positions', () => {
  it('say how far and as whom', () => {
    expect(positionLink('ab-0', 7, null)).toBe('/replay/ab-0?ply=7')
    expect(positionLink('ab-0', 7, 1)).toBe('/replay/ab-0?ply=7&seat=1')
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

describe('your games', () => {
  const room = {
    status: 'Second to act',
    winners: true,
    turn: 1,
    outcome: null,
    seats: [
      { seat: 'first', name: 'Ann', kind: 'person', agent: null },
      { seat: 'second', name: 'Easy', kind: 'program', agent: 'level:easy' },
    ],
  } as unknown as RoomSummary
  const ended = (scores: number[], forfeited_by: number | null = null) =>
    ({ ...room, turn: null, outcome: { scores, forfeited_by, reason: '' } }) as RoomSummary

  it('say who is met and who is waited for', () => {
    expect(opponentsOf(room, 0)).toBe('Easy')
    expect(turnText(room, 0)).toBe('Waiting for Easy')
    expect(turnText(room, 1)).toBe('Your turn')
  })

  it('say how they ended', () => {
    expect(resultText(ended([1, -1]), 0)).toBe('You won')
    expect(resultText(ended([1, -1]), 1)).toBe('You lost')
    expect(resultText(ended([0, 0]), 1)).toBe('A draw')
    expect(resultText(ended([-1, 1], 0), 0)).toBe('You gave up')
    expect(resultText({ ...ended([9.5, -9.5]), winners: false }, 0)).toBe('9.50 points')
  })
})

describe('puzzles', () => {
  it.each([
    [['a', 'b', 'c'], 0, [], 1],
    [['a', 'b', 'c'], 1, [], 2],
    [['a', 'b', 'c'], 1, ['b'], 3],
    [['a', 'b', 'c'], 3, [], 1],
    [['a', 'b', 'c'], 2, ['a', 'c'], 2],
    [['a', 'b', 'c'], 2, ['a', 'b', 'c'], 3],
  ])('after the puzzles %o, number %i, with %o solved comes number %i', (names, after, solved, next) => {
    expect(nextNumber(names, after, new Set(solved))).toBe(next)
  })
})
