/** Editing scenarios of Operation Lucid: what a touch changes, and the board that is drawn of it. */

import { describe, expect, it } from 'vitest'
import { sheetOf } from '../src/games/lucid/map'
import { allRoads, boardOf, depots, painted, resized } from '../src/games/lucid/scenarios'
import type { ScenarioValues } from '../src/games/lucid/types'

const SMALL: ScenarioValues = {
  title: '',
  about: '',
  board: ['r2 .  r1', '.  x  .', 'b3 b3 .'],
  turns: 20,
  capacity: 3,
  closed_roads: ['a3-goal'],
  defender: 1,
  right_to_move: 'drawn',
  first: 'drawn',
  supply: 'row1',
  penalty: 1,
}

function node(values: ScenarioValues, place: string) {
  return boardOf(values).nodes.find((each) => each.place === place)
}

describe('a scenario as a board', () => {
  it('has rows from the bottom, units, closed nodes and only open roads', () => {
    const board = boardOf(SMALL)
    expect([board.columns, board.rows, board.units]).toEqual([3, 3, [6, 3]])
    expect(node(SMALL, 'a1')?.blue).toBe(3)
    expect(node(SMALL, 'c3')?.red).toBe(1)
    expect(node(SMALL, 'b2')?.closed).toBe(true)
    expect(board.exits).toEqual(['b3', 'c3'])
    expect(board.roads.flat()).not.toContain('b2')
  })

  it('has a sheet that grows with it', () => {
    const small = sheetOf({ columns: 5, rows: 5, units: [15, 10] })
    expect([small.width, small.height, small.goalPitch]).toEqual([700, 744, 31.5])
    expect(small.centre('a1')).toEqual({ x: 94, y: 636 })
    const large = sheetOf({ columns: 12, rows: 11, units: [40, 10] })
    expect(large.width).toBe(700 + 7 * 128)
    expect(large.centre('l11')).toEqual({ x: large.width - 94, y: 172 })
  })
})

describe('painting', () => {
  it('adds units up to the capacity and begins anew', () => {
    const once = painted(SMALL, 'blue', 'c1')
    expect(node(once, 'c1')?.blue).toBe(1)
    expect(node(painted(SMALL, 'blue', 'a1'), 'a1')?.blue).toBe(1)
    expect(node(painted(SMALL, 'red', 'a1'), 'a1')?.red).toBe(1)
    expect(node(painted(SMALL, 'red', 'a1'), 'a1')?.blue).toBe(0)
  })

  it('closes and opens nodes and roads', () => {
    expect(node(painted(SMALL, 'closed', 'b2'), 'b2')?.closed).toBe(false)
    expect(painted(SMALL, 'road', 'a1-a2').closed_roads).toEqual(['a3-goal', 'a1-a2'])
    expect(painted(SMALL, 'road', 'a3-goal').closed_roads).toEqual([])
    expect(painted(SMALL, 'closed', 'a3').closed_roads).toEqual([])
  })

  it('changes the defender and the depots of single nodes', () => {
    const strong = painted(SMALL, 'defender', 'c3')
    expect(node(strong, 'c3')?.advantage).toBe(2)
    expect(node(strong, 'a3')?.advantage).toBe(1)
    expect(depots(SMALL)).toEqual(['a1', 'b1', 'c1'])
    expect(depots(painted(SMALL, 'depot', 'b1'))).toEqual(['a1', 'c1'])
    expect(depots(painted(SMALL, 'depot', 'b3'))).toContain('b3')
  })

  it('keeps what fits when the board changes its size', () => {
    const wider = resized(painted(SMALL, 'defender', 'c3'), 4, 2)
    expect(boardOf(wider).columns).toBe(4)
    expect(boardOf(wider).rows).toBe(2)
    expect(wider.closed_roads).toEqual([])
    expect(wider.defender).toEqual({ default: 1 })
    expect(new Set(allRoads(wider)).size).toBe(4 + 4 + 2 * 3)
  })
})
