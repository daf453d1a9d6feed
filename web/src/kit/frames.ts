/**
 * A step cut into what is shown one after the other: each combat of a turn, each card that takes
 * effect. The pictures in between are made from the events; the last one is the server's board.
 */

import type { AnyBoard, Card, GameEvent, GravwellBoard, LucidBoard, Step } from '../lib/protocol'

export interface Frame {
  board: AnyBoard
  events: GameEvent[]
}

export function framesOf(before: AnyBoard, step: Step): Frame[] {
  const last: Frame = { board: step.board, events: step.events }
  const frames: Frame[] = []
  const single: GameEvent[] = []
  let board = before
  for (const event of step.events) {
    const next = pictureAfter(board, event)
    if (!next) continue
    board = next
    single.push(event)
    frames.push({ board, events: [event] })
  }
  if (frames.length) last.events = step.events.filter((event) => !single.includes(event))
  return [...frames, last]
}

function pictureAfter(board: AnyBoard, event: GameEvent): AnyBoard | null {
  if (isLucid(board) && event.kind === 'combat') return afterCombat(board, event)
  if (!isGravwell(board)) return null
  if (event.kind === 'reveal') return turnedOver(board, event.cards as Card[])
  if (event.kind === 'resolve') return shipsMoved(board, event)
  return null
}

function isLucid(board: AnyBoard): board is LucidBoard {
  return board.game === 'lucid'
}

function isGravwell(board: AnyBoard): board is GravwellBoard {
  return board.game === 'gravwell'
}

/** Seats of Lucid: 0 is Blue. */
function afterCombat(board: LucidBoard, event: GameEvent): LucidBoard {
  const nodes = board.nodes.map((node) => {
    if (node.place !== event.place) return node
    const blue = node.blue - (event.loser === 0 ? 1 : 0)
    const red = node.red - (event.loser === 1 ? 1 : 0)
    return { ...node, blue, red, moved: 0, combat: blue && red ? node.combat : null }
  })
  return { ...board, nodes }
}

function turnedOver(board: GravwellBoard, cards: Card[]): GravwellBoard {
  const players = board.players.map((player) => ({
    ...player,
    table: cards[player.seat] ?? null,
    covered: false,
    open: player.open.filter((card) => card.name !== cards[player.seat]?.name),
    secret: player.secret.filter((card) => card?.name !== cards[player.seat]?.name),
  }))
  return { ...board, players }
}

function shipsMoved(board: GravwellBoard, event: GameEvent): GravwellBoard {
  const moves = event.moves as { ship: number; from: number; to: number }[]
  const ships = board.ships.map((ship, index) => {
    const move = moves.find((each) => each.ship === index)
    return move ? { ...ship, tile: move.to } : ship
  })
  const players = board.players.map((player) => ({
    ...player,
    tile: ships.find((ship) => ship.seat === player.seat)?.tile ?? player.tile,
    resolving: player.seat === event.seat,
  }))
  return { ...board, ships, players }
}
