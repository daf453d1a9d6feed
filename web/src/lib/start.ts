/** Making a room and going there. */

import { post } from './api'
import { keepRoom } from './keys'
import type { RoomLinks } from './protocol'
import { router } from './router.svelte'
import type { SeatWanted } from './wanted'

export interface RoomWanted {
  game: string
  seats: SeatWanted[]
  start?: { archive: string; ply: number }
}

/** Make a room; the links to it. */
export async function makeRoom(wanted: RoomWanted): Promise<RoomLinks> {
  const links = await post<RoomLinks>('/api/rooms', wanted)
  keepRoom(links, links.seats[0])
  return links
}

/** Make a room and sit down in the first seat that a person has. */
export async function startRoom(wanted: RoomWanted): Promise<void> {
  const links = await makeRoom(wanted)
  const own = links.seats[0]
  router.go(own ? own.link : `/room/${links.room}#owner=${links.owner}`)
}
