/** Pseudo-random numbers that are the same for the same seed, on every machine. */
export interface Random {
  /** Returns a number from 0 up to, not including, 1. */
  next(): number
  /** Returns a whole number from 0 to n - 1. */
  below(n: number): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
}

/** Creates Mulberry32 seeded by a text (FNV-1a), so that each table of each copy has a separate sequence. */
export function randomFrom(seed: string): Random {
  let state = 0x811c9dc5
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, below: (n) => Math.floor(next() * n), chance: (probability) => next() < probability }
}

/** Returns one of the items; undefined if there are none. */
export function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[random.below(items.length)]
}

/** Returns the items in another order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items]
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const [a, b] = [result[at], result[other]]
    if (a === undefined || b === undefined) continue
    result[at] = b
    result[other] = a
  }
  return result
}
