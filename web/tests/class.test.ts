import { describe, expect, it } from 'vitest'
import { figureText, gameState, kindText, pointsText, roundText } from '../src/lib/class_words'
import type { ClassGameInfo, ClassPage } from '../src/lib/protocol'
import { drawWords } from '../src/lib/words'

const page = {
  kind: 'swiss',
  over: false,
  round: 2,
  rounds_planned: null,
  entrants: [{ name: 'Ann' }, { name: 'Ben' }],
} as unknown as ClassPage

describe('a class in words', () => {
  it('tells points, figures and rounds', () => {
    expect([0, 0.5, 1.5, 3].map(pointsText)).toEqual(['0', '½', '1½', '3'])
    expect(figureText({ value: 72.4, low: null, high: null })).toBe('72')
    expect(figureText({ value: 72.4, low: 10, high: null })).toBe('72 (10 to open)')
    expect(figureText(null)).toBe('')
    expect([roundText(page), kindText(page)]).toEqual(['Round 2', 'Swiss'])
    expect(roundText({ ...page, rounds_planned: 3 })).toBe('Round 2 of 3')
    expect(roundText({ ...page, round: 0 })).toBe('It has not begun yet')
  })

  it('says who is waited for', () => {
    const game = { players: [1, 0], here: [true, false], outcome: null } as unknown as ClassGameInfo
    expect(gameState(page, game)).toBe('waiting for Ann')
    expect(gameState(page, { ...game, here: [true, true] })).toBe('playing')
  })

  it('says what was said about a draw', () => {
    const nothing = { offered_by: null, declined_by: null, may_offer: true }
    const names = ['Ann', 'Ben']
    expect(drawWords(nothing, names, 0)).toBe('')
    expect(drawWords({ ...nothing, offered_by: 1 }, names, 0)).toBe('Ben offers a draw.')
    expect(drawWords({ ...nothing, offered_by: 0 }, names, 0)).toBe('You offer a draw.')
    expect(drawWords({ ...nothing, offered_by: 0 }, names, 0, 'waits')).toBe(
      'You offer a draw; Ben answers after your move.',
    )
    expect(drawWords({ ...nothing, declined_by: 1 }, names, null)).toBe(
      'Ben declines the draw and plays on.',
    )
    expect(drawWords({ ...nothing, declined_by: 0 }, names, 0)).toBe('You play on.')
  })
})
