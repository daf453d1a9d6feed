import { describe, expect, it } from 'vitest'
import { bandPath, linePath, rangeOf, ticks } from '../src/kit/chart'
import { framesOf } from '../src/kit/frames'
import { Identities, lastStep } from '../src/kit/identities'
import { emptyLevel, levelText, parseLevel } from '../src/games/skirmish/levels'
import {
  barredTargets,
  onePlace,
  onTheSpot,
  placeless,
  sameChoice,
  sources,
  targets,
  touchable,
} from '../src/kit/moves'
import { nextPlace, placeAt, type Direction, type Place } from '../src/kit/places'
import { rankWords, shownRank } from '../src/games/stratego/ranks'
import { mirrored, rowsOf, shuffled } from '../src/games/stratego/setups'
import { centreOf, coordinates, placesOf, squaresOf, type Grid } from '../src/kit/squares'
import type { LegalAction, Step } from '../src/lib/protocol'
import type { GravwellBoard } from '../src/games/gravwell/types'
import type { LucidBoard } from '../src/games/lucid/types'
import { pictureAfter as gravwellPicture } from '../src/games/gravwell/frames'
import gravwellSample from '../src/games/gravwell/sample.json'
import { pictureAfter as lucidPicture } from '../src/games/lucid/frames'
import lucidSample from '../src/games/lucid/sample.json'

const grid: Grid = { side: 3, cell: 10, left: 0, top: 0, flipped: false }

function move(text: string, from: string | null, to: string | null, kind = 'move'): LegalAction {
  return { action: 0, text, kind, from, to, label: text }
}

describe('squares', () => {
  it('run from the top left, or from the bottom right seen from the other side', () => {
    expect(squaresOf(grid).slice(0, 4)).toEqual(['a3', 'b3', 'c3', 'a2'])
    expect(squaresOf({ ...grid, flipped: true }).slice(0, 4)).toEqual(['c1', 'b1', 'a1', 'c2'])
  })

  it('lie where they are seen', () => {
    expect(centreOf(grid, 'a1')).toEqual({ x: 5, y: 25 })
    expect(centreOf({ ...grid, flipped: true }, 'a1')).toEqual({ x: 25, y: 5 })
    expect(coordinates({ ...grid, flipped: true }).map((mark) => mark.text)).toEqual([
      'c',
      '1',
      'b',
      '2',
      'a',
      '3',
    ])
  })
})

describe('the cursor', () => {
  const places = placesOf(grid, (name) => name)
  const goal: Place = { name: 'goal', x: 15, y: -20, width: 30, height: 10, words: '' }

  it.each([
    ['b2', 'ArrowUp', 'b3'],
    ['b2', 'ArrowDown', 'b1'],
    ['b2', 'ArrowLeft', 'a2'],
    ['b2', 'ArrowRight', 'c2'],
    ['a1', 'ArrowLeft', 'a1'],
  ])('goes from %s with %s to %s', (from, key, to) => {
    expect(nextPlace(places, from, key as Direction)).toBe(to)
  })

  it('reaches a broad place from every column', () => {
    for (const square of ['a3', 'b3', 'c3'])
      expect(nextPlace([...places, goal], square, 'ArrowUp')).toBe('goal')
  })

  it('finds what lies under a point', () => {
    expect(placeAt(places, 14, 16)?.name).toBe('b2')
    expect(placeAt(places, 99, 16)).toBeUndefined()
  })
})

describe('moves as data', () => {
  const moves = [
    move('a1-a2', 'a1', 'a2'),
    move('a1+', 'a1', 'a1', 'build'),
    move('end', null, null, 'end'),
  ]

  it('are sorted by what a person touches', () => {
    expect(sources(moves)).toEqual(new Set(['a1']))
    expect([...targets(moves, 'a1').keys()]).toEqual(['a2'])
    expect(onTheSpot(moves, 'a1').map((each) => each.text)).toEqual(['a1+'])
    expect(placeless(moves).map((each) => each.text)).toEqual(['end'])
    expect(targets(moves, null).size + onTheSpot(moves, null).length).toBe(0)
  })
})

describe('identities', () => {
  it('follow the piece that moved, and end with the one that was taken', () => {
    const identities = new Identities()
    const before = identities.follow(
      [
        { place: 'a1', seat: 0 },
        { place: 'b2', seat: 1 },
      ],
      null,
    )
    const after = identities.follow([{ place: 'b2', seat: 0 }], { from: 'a1', to: 'b2' })
    expect(after[0]?.id).toBe(before.find((piece) => piece.place === 'a1')?.id)
  })

  it('give a number of its own to what is new on a square that was left', () => {
    const identities = new Identities()
    const [first] = identities.follow([{ place: 'a1', seat: 0 }], null)
    const after = identities.follow(
      [
        { place: 'a2', seat: 0 },
        { place: 'a1', seat: 0 },
      ],
      { from: 'a1', to: 'a2' },
    )
    expect(after.map((piece) => [piece.place, piece.id === first?.id])).toEqual([
      ['a2', true],
      ['a1', false],
    ])
  })

  it('know the last movement', () => {
    expect(lastStep([{ kind: 'build', text: '', place: 'a1' }])).toBeNull()
    expect(lastStep([{ kind: 'move', text: '', from: 'a1', to: 'a2' }])).toEqual({
      from: 'a1',
      to: 'a2',
    })
  })
})

describe('frames', () => {
  it('show each combat of a turn by itself', () => {
    const board = structuredClone(lucidSample) as unknown as LucidBoard
    const node = board.nodes[0]!
    Object.assign(node, {
      blue: 2,
      red: 1,
      combat: { attacker: 0, supplied: true, red_loses: 0.5 },
    })
    const combat = { kind: 'combat', text: 'a1', place: node.place, loser: 1 }
    const turn = { kind: 'turn', text: 'turn 2' }
    const step = {
      ply: 1,
      seat: 0,
      action: 100,
      text: 'end',
      events: [combat, turn],
      board: lucidSample,
    } as unknown as Step
    const frames = framesOf(board, step, lucidPicture)
    expect(frames.map((frame) => frame.events.map((event) => event.kind))).toEqual([
      ['combat'],
      ['turn'],
    ])
    expect((frames[0]?.board as LucidBoard).nodes[0]).toMatchObject({
      blue: 2,
      red: 0,
      combat: null,
    })
    expect(frames[1]?.board).toBe(lucidSample)
  })

  it('turn cards over and move ships one card after the other', () => {
    const board = gravwellSample as unknown as GravwellBoard
    const card = { name: 'Ar', value: 1, kind: 'normal' as const }
    const events = [
      { kind: 'reveal', text: '', cards: board.players.map(() => card) },
      { kind: 'resolve', text: '', seat: 1, card, moves: [{ seat: 1, ship: 1, from: 0, to: 9 }] },
    ]
    const frames = framesOf(board, { ply: 1, seat: 0, action: 0, text: 'Ar', turn_label: '1.1', events, board }, gravwellPicture)
    expect(frames).toHaveLength(3)
    expect(
      (frames[0]?.board as GravwellBoard).players.every((player) => player.table === card),
    ).toBe(true)
    expect((frames[1]?.board as GravwellBoard).ships[1]?.tile).toBe(9)
    expect((frames[1]?.board as GravwellBoard).players[1]).toMatchObject({
      tile: 9,
      resolving: true,
    })
  })
})

describe('Stratego', () => {
  it('shows ranks either way round', () => {
    expect(['T', '2', 'S', 'B', 'F', null].map((rank) => shownRank(rank, false))).toEqual([
      '10',
      '2',
      'S',
      'B',
      'F',
      '?',
    ])
    expect(['T', '2', '9'].map((rank) => shownRank(rank, true))).toEqual(['1', '9', '2'])
    expect(rankWords(null, true)).toBe('unknown piece')
  })

  it('mirrors, shuffles and fills set-ups without losing a piece', () => {
    expect(mirrored(['F2', 'B.'])).toEqual(['2F', '.B'])
    expect(rowsOf({ F: 1, '2': 2 }, 4, 2)).toEqual(['22', 'F.'])
    const rows = ['T98', 'BSF']
    const mixed = shuffled(rows)
    expect(mixed.map((row) => row.length)).toEqual([3, 3])
    expect([...mixed.join('')].sort()).toEqual([...rows.join('')].sort())
  })
})

describe('levels', () => {
  it.each(['8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8', '6xx/xx1t3x/x7/1x6/5xxx/1xx5/4T3/1xx2xx1'])(
    '%s is read and written back',
    (text) => {
      const tiles = parseLevel(text)
      expect(tiles && levelText(tiles)).toBe(text)
    },
  )

  it('refuses what is no level', () => {
    expect(parseLevel('8/8')).toBeNull()
    expect(parseLevel('9/8/8/8/8/8/8/8')).toBeNull()
    expect(levelText(emptyLevel())).toBe('8/8/8/8/8/8/8/8')
  })
})

describe('charts', () => {
  it('have round ticks inside their range', () => {
    expect(ticks({ low: 0, high: 1 })).toEqual([0, 0.25, 0.5, 0.75, 1])
    expect(ticks({ low: -3, high: 12 })).toEqual([0, 5, 10])
    expect(rangeOf([], 0)).toEqual({ low: 0, high: 1 })
    expect(rangeOf([1, null, 3], 0)).toEqual({ low: 1, high: 3 })
  })

  it('break lines where numbers are missing', () => {
    expect(
      linePath([
        { x: 0, y: 1 },
        { x: 1, y: null },
        { x: 2, y: 3 },
      ]),
    ).toBe('M0.0 1.0M2.0 3.0')
    expect(
      bandPath([
        { x: 0, low: 2, high: 1 },
        { x: 1, low: 4, high: 3 },
      ]),
    ).toBe('M0.0 1.0L1.0 3.0L1.0 4.0L0.0 2.0Z')
    const one = { x: 2, low: 6, high: 5 }
    expect(bandPath([{ x: 0, low: 2, high: 1 }, null, one, null])).toBe(
      'M0.0 1.0L0.0 2.0ZM2.0 5.0L2.0 6.0Z',
    )
  })
})

describe('barred moves', () => {
  it('are told for the piece that is taken up', () => {
    const barred = [{ from: 'a3', to: 'a2', why: 'two-squares rule' }]
    expect(barredTargets(barred, 'a3').get('a2')).toBe('two-squares rule')
    expect(barredTargets(barred, 'b3').size).toBe(0)
    expect(barredTargets(barred, null).size).toBe(0)
  })
})

describe('moves on a drawing', () => {
  const put = move('put', null, 'b1')
  const build = move('build', 'a1', 'a1')
  const step = move('step', 'a1', 'b1')
  const jump = move('jump', 'a1', 'b1')
  const pass = move('pass', null, null)

  it('are played by one place if they have one', () => {
    expect([...onePlace([put, build, step, pass])]).toEqual([
      ['b1', [put]],
      ['a1', [build]],
    ])
  })

  it('leave a choice between the same places', () => {
    expect(sameChoice([put, build, step, jump], step)).toEqual([step, jump])
    expect(sameChoice([put, build, step, jump], build)).toEqual([build])
  })

  it('get a button unless the drawing has all their places', () => {
    const places = new Set(['a1'])
    expect([put, build, step, pass].map((each) => touchable(each, places))).toEqual([
      false,
      true,
      false,
      false,
    ])
  })
})
