import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { BenchmarkCase } from '../../benchmark/case.js'
import { AutotestError, messageOf } from '../../errors.js'

/** One of several parts of a benchmark: disjoint, and together everything. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

/** What a run of one part tells of the whole, so that merging can check that the parts belong together. */
export interface ShardedRun {
  readonly shard: Shard
  /** Number of cases of all parts. */
  readonly cases: number
  /** Changes with the cases, and with the times by which they were divided. */
  readonly key: string
}

/** Times of cases, in milliseconds, by id: below the root, in git or in a cache that all parts share. */
export const timingsFile = 'autotest.timings.json'

const timingsSchema = z.strictObject({
  version: z.literal(1),
  ms: z.record(z.string(), z.number().nonnegative()),
})

/** Reads `2/4`; throws `usage`. */
export function parseShard(text: string): Shard {
  const [, index = '', count = ''] = /^(\d+)\/(\d+)$/.exec(text.trim()) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index >= 1 && shard.index <= shard.count && shard.count <= 10_000) return shard
  const why =
    index === '' ? 'must be two numbers' : shard.index < 1 ? 'begins at 1' : 'is beyond the last one'
  throw new AutotestError('usage', `--shard ${text}: ${why}`, {
    hint: 'Write it as 2/4: the second of four parts.',
  })
}

/**
 * Returns the cases of one part, in their order. The longest case goes first, each to the part with the least time so far;
 * cases without a known time count as the median. Without known times the parts have as many cases each.
 */
export function casesOfShard<C extends BenchmarkCase>(
  cases: readonly C[],
  { index, count }: Shard,
  times: ReadonlyMap<string, number>,
): readonly C[] {
  const known = cases.flatMap(({ id }) => times.get(id) ?? []).sort((a, b) => a - b)
  const median = known[Math.floor(known.length / 2)] ?? 1
  const timed = cases.map((testCase) => ({
    testCase,
    ms: times.get(testCase.id) ?? median,
    hash: hashOf(testCase.id),
  }))
  // Cases of one file, which may be alike, go to different parts: the order is that of their hashes.
  timed.sort((a, b) => b.ms - a.ms || (a.hash < b.hash ? -1 : 1))
  const sums = Array.from({ length: count }, () => ({ ms: 0, cases: 0 }))
  const mine = new Set<string>()
  for (const { testCase, ms } of timed) {
    let least = 0
    sums.forEach((sum, at) => {
      const best = sums[least]
      if (best !== undefined && (sum.ms < best.ms || (sum.ms === best.ms && sum.cases < best.cases)))
        least = at
    })
    const sum = sums[least]
    if (sum === undefined) continue
    sum.ms += ms
    sum.cases += 1
    if (least === index - 1) mine.add(testCase.id)
  }
  return cases.filter(({ id }) => mine.has(id))
}

/** Returns what a run of a part records of the whole. */
export function shardedRun(
  cases: readonly BenchmarkCase[],
  shard: Shard,
  times: ReadonlyMap<string, number>,
): ShardedRun {
  const parts = cases.map(({ id }) => `${id}\0${times.get(id) ?? ''}`)
  return { shard, cases: cases.length, key: hashOf(parts.join('\n')).slice(0, 16) }
}

/** Returns known times; none without the file. Throws `config_invalid`. */
export function readTimings(root: string): ReadonlyMap<string, number> {
  let text: string
  try {
    text = readFileSync(join(root, timingsFile), 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return new Map()
    throw invalidTimings(messageOf(error))
  }
  try {
    return new Map(Object.entries(timingsSchema.parse(JSON.parse(text)).ms))
  } catch (error) {
    throw invalidTimings(error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error))
  }
}

/** Returns the file of times: sorted, one case a line, rounded so that small changes change nothing. */
export function timingsText(times: ReadonlyMap<string, number>): string {
  const ms = Object.fromEntries(
    [...times].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, value]) => [id, rounded(value)]),
  )
  return `${JSON.stringify({ version: 1, ms }, null, 2)}\n`
}

/** Two digits: the third differs from night to night. */
function rounded(ms: number): number {
  return ms < 1 ? 1 : Number(ms.toPrecision(2))
}

function invalidTimings(problem: string): AutotestError {
  return new AutotestError('config_invalid', `${timingsFile} cannot be read: ${problem}`, {
    hint: 'Delete it, and have it written again: autotest merge DIR… --timings.',
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
