/** The kernels of a game as WebAssembly: their memory, and the little they want from outside. */

const PAGE = 65536
const STACK = 1 << 20
const HEADER = 32 // of a block that kernels ask for: two counters and three addresses
const SMALLEST = 64
const MOST_BYTES = 2 ** 31

/** Functions of mathematics: in double precision, and those that end in f rounded to single. */
const MATHEMATICS = ['exp', 'log', 'sin', 'cos', 'tan', 'tanh', 'atan', 'log1p', 'expm1', 'sinh', 'cosh'] as const

type Function = (...values: never[]) => unknown

export class KernelFailed extends Error {}

/** Memory for arrays that kernels make; all of it is free again when the call is over. */
export class Room {
  private top: number
  private free = new Map<number, number[]>()

  constructor(
    readonly memory: WebAssembly.Memory,
    private readonly bottom: number,
  ) {
    this.top = bottom
  }

  clear(): void {
    this.top = this.bottom
    this.free.clear()
  }

  /** Return the address of a block of a size that is a power of two. */
  private block(size: number): number {
    const again = this.free.get(size)?.pop()
    if (again !== undefined) return again
    const address = Math.ceil(this.top / SMALLEST) * SMALLEST
    const missing = address + size - this.memory.buffer.byteLength
    if (address + size > MOST_BYTES) throw new KernelFailed('a kernel wants more memory than there is')
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE))
    this.top = address + size
    return address
  }

  /** Make room for an array, with the counter of references and the addresses before it. */
  take(wanted: bigint, alignment: number): number {
    const align = Math.max(alignment, 16)
    let size = SMALLEST
    while (size < Number(wanted) + HEADER + align) size *= 2
    const address = this.block(size)
    const view = new DataView(this.memory.buffer)
    const data = Math.ceil((address + HEADER) / align) * align
    view.setBigInt64(address, 1n, true)
    view.setUint32(address + 8, 0, true)
    view.setUint32(address + 12, size, true)
    view.setUint32(address + 16, data, true)
    view.setBigInt64(address + 24, wanted, true)
    return address
  }

  give(address: number): void {
    const size = new DataView(this.memory.buffer).getUint32(address + 12, true)
    this.free.set(size, [...(this.free.get(size) ?? []), address])
  }
}

/** Give an array whose numbers lie in a row another shape; 0: they do not. */
function reshape(
  memory: WebAssembly.Memory,
  [many, shape, strides]: [bigint, number, number],
  [newMany, newShape, newStrides]: [bigint, number, number],
  itemSize: bigint,
  fortran: number,
): number {
  const view = new DataView(memory.buffer)
  let step = itemSize
  for (let axis = Number(many) - 1; axis >= 0; axis--) {
    const length = view.getBigInt64(shape + 8 * axis, true)
    if (length !== 1n && view.getBigInt64(strides + 8 * axis, true) !== step) return 0
    step *= length
  }
  if (fortran) return 0
  step = itemSize
  for (let axis = Number(newMany) - 1; axis >= 0; axis--) {
    view.setBigInt64(newStrides + 8 * axis, step, true)
    step *= view.getBigInt64(newShape + 8 * axis, true)
  }
  return 1
}

/** All that a kernel may import. */
export function environment(memory: WebAssembly.Memory, room: () => Room): Record<string, Function> {
  const bytes = () => new Uint8Array(memory.buffer)
  const take = (size: bigint, align: number) => room().take(size, align)
  const found: Record<string, Function> = {
    NRT_MemInfo_alloc_aligned: take,
    NRT_MemInfo_alloc_safe_aligned: take,
    NRT_MemInfo_call_dtor: (address: number) => room().give(address),
    numba_attempt_nocopy_reshape: (
      many: bigint,
      shape: number,
      strides: number,
      newMany: bigint,
      newShape: number,
      newStrides: number,
      itemSize: bigint,
      fortran: number,
    ) =>
      reshape(memory, [many, shape, strides], [newMany, newShape, newStrides], itemSize, fortran),
    kernel_failed: () => {
      throw new KernelFailed('a kernel has failed')
    },
    memset: (to: number, value: number, size: number) => {
      bytes().fill(value, to, to + size)
      return to
    },
  }
  found.memcpy = found.memmove = (to: number, from: number, size: number) => {
    bytes().copyWithin(to, from, from + size)
    return to
  }
  for (const name of MATHEMATICS) found[name] = found[`${name}f`] = Math[name]
  found.pow = found.powf = Math.pow
  found.atan2 = found.atan2f = Math.atan2
  return found
}

export interface Sizes {
  cells: number // of a position
  actions: number
  seats: number
  memory: number // of the program that wants most of it
}

/** A stream of random numbers as kernels want it: key, number, draws so far, and half a block. */
export type Dice = BigUint64Array

export class Kernels {
  private constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly room: Room,
    private readonly entries: Record<string, (...values: number[]) => number>,
    private readonly sizes: Sizes,
    private readonly at: Record<'position' | 'dice' | 'mask' | 'scores' | 'memory' | 'chosen', number>,
  ) {}

  /** Bring a module to life; its data come first in the memory, then a stack, then our room. */
  static async open(module: BufferSource, dataEnd: number, sizes: Sizes): Promise<Kernels> {
    const stack = Math.ceil((dataEnd + STACK) / 16) * 16
    let next = stack
    const place = (size: number) => {
      const found = next
      next += Math.ceil(size / 16) * 16
      return found
    }
    const at = {
      position: place(2 * sizes.cells),
      dice: place(32),
      mask: place(sizes.actions),
      scores: place(8 * sizes.seats),
      memory: place(8 * sizes.memory),
      chosen: place(2 * sizes.actions),
    }
    const memory = new WebAssembly.Memory({ initial: Math.ceil(next / PAGE) + 1 })
    const room = new Room(memory, next)
    const env = {
      ...environment(memory, () => room),
      __linear_memory: memory,
      __stack_pointer: new WebAssembly.Global({ value: 'i32', mutable: true }, stack),
      __indirect_function_table: new WebAssembly.Table({ element: 'anyfunc', initial: 64 }),
    }
    const { instance } = await WebAssembly.instantiate(module, { env: env as WebAssembly.ModuleImports })
    return new Kernels(memory, room, instance.exports as never, sizes, at)
  }

  private call(name: string, ...values: number[]): number {
    const entry = this.entries[name]
    if (!entry) throw new KernelFailed(`there is no kernel '${name}'`)
    this.room.clear()
    return entry(...values)
  }

  private cells(address: number, length: number): Int16Array {
    return new Int16Array(this.memory.buffer, address, length)
  }

  private put(position: ArrayLike<number>, dice?: Dice): void {
    this.cells(this.at.position, this.sizes.cells).set(position)
    if (dice) new BigUint64Array(this.memory.buffer, this.at.dice, 4).set(dice)
  }

  private take(dice?: Dice): Int16Array {
    if (dice) dice.set(new BigUint64Array(this.memory.buffer, this.at.dice, 4))
    return this.cells(this.at.position, this.sizes.cells).slice()
  }

  start(cells: ArrayLike<number>, dice: Dice): Int16Array {
    this.put(cells, dice)
    this.call('start', this.at.position, this.at.dice)
    return this.take(dice)
  }

  turn(position: ArrayLike<number>): number {
    this.put(position)
    return this.call('turn', this.at.position)
  }

  legal(position: ArrayLike<number>): number[] {
    this.put(position)
    this.call('legal', this.at.position, this.at.mask)
    const mask = new Uint8Array(this.memory.buffer, this.at.mask, this.sizes.actions)
    return [...mask.keys()].filter((action) => mask[action])
  }

  apply(position: ArrayLike<number>, action: number, dice: Dice): Int16Array {
    this.put(position, dice)
    this.call('apply', this.at.position, action, this.at.dice)
    return this.take(dice)
  }

  score(position: ArrayLike<number>): number[] {
    this.put(position)
    this.call('score', this.at.position, this.at.scores)
    return [...new Float64Array(this.memory.buffer, this.at.scores, this.sizes.seats)]
  }

  hide(position: ArrayLike<number>, seat: number): Int16Array {
    this.put(position)
    this.call('hide', this.at.position, seat)
    return this.take()
  }

  /** Let a program choose in a view; its memory and its dice go on from what they are here. */
  choose(
    entry: string,
    view: ArrayLike<number>,
    dice: Dice,
    memory: BigInt64Array,
    which: number,
    slips: number,
  ): number[] {
    this.put(view, dice)
    new BigInt64Array(this.memory.buffer, this.at.memory, memory.length).set(memory)
    const { position, dice: roll, memory: notes, chosen } = this.at
    const count = this.call(entry, position, roll, notes, which, slips, chosen)
    memory.set(new BigInt64Array(this.memory.buffer, notes, memory.length))
    this.take(dice)
    return [...this.cells(chosen, count)]
  }
}
