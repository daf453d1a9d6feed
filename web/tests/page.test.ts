/** The kernels' surroundings on a page without a server. */

import { describe, expect, test } from 'vitest'
import python from '../../src/sandtable/pages/webassembly.py?raw'
import { environment, KernelFailed, Room } from '../src/page/kernels'

const BOTTOM = 1000

function surroundings() {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const room = new Room(memory, BOTTOM)
  const env = environment(memory, () => room) as Record<string, (...values: unknown[]) => number>
  const call = (name: string, ...values: unknown[]) => env[name]?.(...values) ?? Number.NaN
  return { memory, room, env, call, view: () => new DataView(memory.buffer) }
}

test('what Python thinks a page has is what it has', () => {
  const listed = /PROVIDED = frozenset\(([^)]*)\)/.exec(python)?.[1] ?? ''
  const names = [...listed.matchAll(/"(\w+)"/g)].map((match) => match[1])
  expect(Object.keys(surroundings().env).sort()).toEqual(names.sort())
})

describe('room for arrays', () => {
  test('is aligned, apart, counted once, and grows with what is wanted', () => {
    const { call, view, memory } = surroundings()
    const first = call('NRT_MemInfo_alloc_aligned', 100n, 32)
    const second = call('NRT_MemInfo_alloc_aligned', 200_000n, 32)
    const [one, two] = [first, second].map((block) => view().getUint32(block + 16, true))
    expect(first).toBeGreaterThanOrEqual(BOTTOM)
    expect([one! % 32, two! % 32]).toEqual([0, 0])
    expect(two!).toBeGreaterThanOrEqual(one! + 100)
    expect(view().getBigInt64(first, true)).toBe(1n)
    expect(memory.buffer.byteLength).toBeGreaterThanOrEqual(two! + 200_000)
  })

  test('is used again when it was given back, and all of it after a call', () => {
    const { call, room } = surroundings()
    const blocks = [1, 2, 3].map(() => call('NRT_MemInfo_alloc_aligned', 100n, 32))
    call('NRT_MemInfo_call_dtor', blocks[1])
    expect(call('NRT_MemInfo_alloc_aligned', 90n, 32)).toBe(blocks[1])
    expect(blocks).not.toContain(call('NRT_MemInfo_alloc_aligned', 90n, 32))
    room.clear()
    expect(call('NRT_MemInfo_alloc_aligned', 100n, 32)).toBe(blocks[0])
  })

  test('ends with a word when there is no more', () => {
    const { call } = surroundings()
    expect(() => call('NRT_MemInfo_alloc_aligned', 3n << 30n, 32)).toThrow(KernelFailed)
  })
})

test('an array in a row gets another shape, one with gaps does not', () => {
  const { call, view } = surroundings()
  const put = (at: number, ...values: bigint[]) =>
    values.forEach((value, index) => view().setBigInt64(at + 8 * index, value, true))
  put(0, 12n)
  put(8, 4n)
  put(16, 3n, 4n)
  expect(call('numba_attempt_nocopy_reshape', 1n, 0, 8, 2n, 16, 32, 4n, 0)).toBe(1)
  expect([view().getBigInt64(32, true), view().getBigInt64(40, true)]).toEqual([16n, 4n])
  put(8, 8n)
  expect(call('numba_attempt_nocopy_reshape', 1n, 0, 8, 2n, 16, 32, 4n, 0)).toBe(0)
})

test('a kernel that fails says so, and memory is moved and filled', () => {
  const { call, memory } = surroundings()
  expect(() => call('kernel_failed')).toThrow(KernelFailed)
  expect(call('memset', 10, 7, 3)).toBe(10)
  call('memcpy', 20, 9, 5)
  expect([...new Uint8Array(memory.buffer, 20, 5)]).toEqual([0, 7, 7, 7, 0])
})
