/** Addresses that can be sent to others, and the clipboard. */

import { get } from './api'
import type { About } from './protocol'

// Whoever runs the server opens it under an address that means their own machine to others.
const HERE = ['localhost', '127.0.0.1', '[::1]']

/** The address of this server as others reach it. */
export async function originForOthers(): Promise<string> {
  if (!HERE.includes(location.hostname)) return location.origin
  try {
    return (await get<About>('/api/about')).addresses[0] ?? location.origin
  } catch {
    return location.origin
  }
}

/** Put text on the clipboard; false: the browser does not let this page, and it is to be shown. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** The address of a position of a finished game, perhaps as one seat saw it. */
export function positionLink(id: string, ply: number, seat: number | null): string {
  const query = new URLSearchParams({ ply: String(ply) })
  if (seat !== null) query.set('seat', String(seat))
  return `/replay/${id}?${query}`
}
