/** Modules of WebAssembly made by hand: a function that traces, and one under test that takes two numbers. */
export const i32 = 0x7f
export const end = 0x0b
const noValue = 0x40

export type Random = (below: number) => number

/** Numbers that a seed decides. */
export function randomFrom(seed: number): Random {
  let state = seed * 2_654_435_761
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

export function num(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) + 128, ...num(Math.floor(number / 128))]
}

export const call = (index: number): number[] => [0x10, ...num(index)]
const vector = (items: readonly number[][]): number[] => [...num(items.length), ...items.flat()]
const sized = (bytes: readonly number[]): number[] => [...num(bytes.length), ...bytes]
const section = (id: number, content: number[]): number[] => [id, ...sized(content)]
const text = (name: string): number[] => sized([...Buffer.from(name)])

/**
 * Function 0 mixes a number into the global `trace` and gives the sum; function 1 is that of the body, with `locals`
 * more of i32; the global `fuel` is for loops.
 */
export function moduleOf(body: readonly number[], locals: number): Buffer {
  const trace = [0x23, 0, 0x41, 31, 0x6c, 0x20, 0, 0x6a, 0x24, 0, 0x23, 0, end]
  const global = [i32, 1, 0x41, 0, end]
  const types = [
    [0x60, ...vector([[i32]]), ...vector([[i32]])],
    [0x60, ...vector([[i32], [i32]]), ...vector([[i32]])],
  ]
  const exported = [
    [...text('run'), 0, 1],
    [...text('trace'), 3, 0],
    [...text('fuel'), 3, 1],
  ]
  return Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(3, vector([[0], [1]])),
    ...section(6, vector([global, global])),
    ...section(7, vector(exported)),
    ...section(10, vector([sized([0, ...trace]), sized([1, ...num(locals), i32, ...body])])),
  ])
}

/** A body of nested blocks, ifs and loops that branch to each other, with two parameters and four locals. */
export function randomBody(random: Random): number[] {
  // Whether each block around takes a value where it is left, the function first.
  const labels = [true]
  const local = (): number => random(6)
  const pick = (takesValue: boolean): number[] => {
    const fitting = labels.flatMap((takes, at) => (takes === takesValue ? [labels.length - 1 - at] : []))
    const one = fitting[random(Math.max(1, fitting.length))]
    return one === undefined ? [] : [one]
  }
  const within = (takesValue: boolean, make: () => number[]): number[] => {
    labels.push(takesValue)
    const made = make()
    labels.pop()
    return made
  }
  const value = (depth: number): number[] => {
    const kind = depth === 0 ? random(2) : random(7)
    if (kind === 0) return [0x41, random(64)]
    if (kind === 1) return [0x20, local()]
    if (kind === 2)
      return [...value(depth - 1), ...value(depth - 1), [0x6a, 0x6b, 0x73, 0x4a][random(4)] ?? 0x6a]
    if (kind === 3) return [...value(depth - 1), 0x22, local()]
    if (kind === 4) return [...value(depth - 1), ...call(0)]
    if (kind === 5)
      return [0x02, i32, ...within(true, () => [...sequence(depth - 1), ...value(depth - 1)]), end]
    const [then, otherwise] = [0, 1].map(() =>
      within(true, () => [...sequence(depth - 1), ...value(depth - 1)]),
    )
    return [...value(depth - 1), 0x04, i32, ...(then ?? []), 0x05, ...(otherwise ?? []), end]
  }
  const ending = (depth: number): number[] => {
    const kind = random(4)
    if (kind === 0) return [...value(depth), 0x0f]
    const takesValue = kind === 1
    const [one] = pick(takesValue)
    if (one === undefined) return [...value(depth), 0x0f]
    const before = takesValue ? value(depth) : []
    if (kind < 3) return [...before, 0x0c, one]
    const table = Array.from({ length: 1 + random(9) }, () => pick(false)[0] ?? one)
    return [...value(depth), 0x0e, ...vector(table.map(num)), one]
  }
  const block = (depth: number): number[] =>
    within(false, () => [...sequence(depth), ...(random(2) ? ending(depth) : [])])
  // A loop takes a unit of fuel each time, and traps once there is none.
  const loop = (depth: number): number[] =>
    within(false, () => {
      const fuel = [0x23, 1, 0x41, 1, 0x6b, 0x24, 1, 0x23, 1, 0x45, 0x04, noValue, 0x00, end]
      return [...fuel, ...sequence(depth), ...(random(2) ? ending(depth) : [])]
    })
  const statement = (depth: number): number[] => {
    const kind = depth === 0 ? random(3) : random(8)
    if (kind <= 1) return [...value(depth), 0x21, local()]
    if (kind === 2) return [...value(depth), ...call(0), 0x1a]
    if (kind === 3) return [0x02, noValue, ...block(depth - 1), end]
    if (kind === 4) return [0x03, noValue, ...loop(depth - 1), end]
    if (kind === 5)
      return [...value(depth - 1), 0x04, noValue, ...block(depth - 1), 0x05, ...block(depth - 1), end]
    if (kind === 6) {
      const [one] = pick(true)
      return one === undefined ? [] : [...value(depth - 1), ...value(depth - 1), 0x0d, one, 0x21, local()]
    }
    const [one] = pick(false)
    return one === undefined ? [] : [...value(depth - 1), 0x0d, one]
  }
  const sequence = (depth: number): number[] =>
    Array.from({ length: 1 + random(5) }, () => statement(depth)).flat()
  return [...sequence(3), ...sequence(3), ...value(2), end]
}
