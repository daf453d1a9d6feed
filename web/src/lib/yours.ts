/** The games of whoever uses this browser: rooms in which they hold a seat, newest first. */

import type { RoomSummary } from './protocol'

export interface YourGame {
  room: string
  seat?: number | undefined // known once the room has been open
  archive?: string | undefined // the name of the finished game
}

const KEY = 'sandtable.games'
const MOST_ROOMS = 100

export function yourGames(): YourGame[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown
    return Array.isArray(kept) ? (kept as YourGame[]).filter((each) => each?.room) : []
  } catch {
    return []
  }
}

function keep(games: YourGame[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(games.slice(0, MOST_ROOMS)))
  } catch {
    // storage is closed to this page: the list holds until it is left
  }
}

/** Note that somebody holds a seat in a room; what is known of it already stays. */
export function noteGame(room: string, seat?: number): void {
  const games = yourGames()
  const known = games.find((each) => each.room === room)
  if (known && (seat === undefined || known.seat === seat)) return
  const entry = { ...known, room, ...(seat === undefined ? {} : { seat }) }
  keep(known ? games.map((each) => (each.room === room ? entry : each)) : [entry, ...games])
}

/** Take over what the server says of these rooms: finished ones are known by their record. */
export function noteResults(rooms: RoomSummary[]): void {
  const ended = new Map(rooms.filter((room) => room.archive).map((room) => [room.room, room]))
  if (!ended.size) return
  keep(
    yourGames().map((each) => {
      const archive = ended.get(each.room)?.archive
      return archive ? { ...each, archive } : each
    }),
  )
}

export function forgetGame(room: string): void {
  keep(yourGames().filter((each) => each.room !== room))
}

/** Whether somebody has ever finished a game here. */
export function hasFinished(): boolean {
  return yourGames().some((each) => each.archive)
}
