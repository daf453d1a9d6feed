/** Under which address others reach this server. */

import { get } from './api'
import type { About } from './protocol'

// Whoever runs the server opens it under an address that means their own machine to others.
const HERE = ['localhost', '127.0.0.1', '[::1]']

export async function reachableOrigin(): Promise<string> {
  if (!HERE.includes(location.hostname)) return location.origin
  try {
    return (await get<About>('/api/about')).addresses[0] ?? location.origin
  } catch {
    return location.origin
  }
}
