/** Tokens of rooms, kept in this browser: a reload finds its seat again. */

import type { RoomLinks } from './protocol'
import { noteGame } from './yours'

type Invite = RoomLinks['seats'][number]

function recall(store: Storage, key: string): string | null {
  try {
    return store.getItem(key)
  } catch {
    return null
  }
}

function keep(store: Storage, key: string, value: string): void {
  try {
    store.setItem(key, value)
  } catch {
    // storage is closed to this page: the token holds until it is left
  }
}

/** The token for a room: from the link, else from this tab, else from this browser. */
export function tokenOf(room: string, hash: URLSearchParams): string | null {
  const key = `sandtable.token.${room}`
  const given = hash.get('token') ?? hash.get('owner')
  if (given) {
    keep(sessionStorage, key, given)
    keep(localStorage, key, given)
    if (hash.get('token')) noteGame(room)
    return given
  }
  return recall(sessionStorage, key) ?? recall(localStorage, key)
}

/** What somebody is in a class, as a host or a player: given now, else from this tab or browser. */
export function classToken(name: string, role: 'host' | 'player', given?: string): string | null {
  const key = `sandtable.class.${name}.${role}`
  if (given) {
    keep(sessionStorage, key, given)
    keep(localStorage, key, given)
    return given
  }
  return recall(sessionStorage, key) ?? recall(localStorage, key)
}

/** Keep what is needed to come back and to invite others. */
export function keepRoom(links: RoomLinks, own: Invite | undefined): void {
  const others = links.seats.filter((seat) => seat.seat !== own?.seat)
  keep(localStorage, `sandtable.invites.${links.room}`, JSON.stringify(others))
}

/** The seats to which the maker of a room can invite others. */
export function invitesOf(room: string): Invite[] {
  const text = recall(localStorage, `sandtable.invites.${room}`)
  return text ? (JSON.parse(text) as Invite[]) : []
}
