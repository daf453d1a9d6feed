/** Pictures between two boards: cards are turned over, then take effect one after the other. */

import type { GameEvent } from '../../lib/protocol'
import type { Card, GravwellBoard } from './types'

export function pictureAfter(board: GravwellBoard, event: GameEvent): GravwellBoard | null {
  if (event.kind === 'reveal') return turnedOver(board, event.cards as Card[])
  if (event.kind === 'resolve') return shipsMoved(board, event)
  return null
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
