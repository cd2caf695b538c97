import { describe, expect, it } from 'vitest'
import { casesOfShard, parseShard, shardedRun } from '../../../src/app/project/shard.js'
import type { BenchmarkCase } from '../../../src/benchmark/case.js'

const cases = Array.from({ length: 1000 }, (_, at) => ({ id: `case_${at}` }) as BenchmarkCase)
const parts = (count: number, times: ReadonlyMap<string, number> = new Map()) =>
  Array.from({ length: count }, (_, at) =>
    casesOfShard(cases, { index: at + 1, count }, times).map(({ id }) => id),
  )

describe('parts of a benchmark', () => {
  it.each([1, 2, 3, 7, 64, 1200])('%d parts are disjoint, together everything, and of one size', (count) => {
    const all = parts(count)
    expect(all.flat().sort()).toEqual(cases.map(({ id }) => id).sort())
    const sizes = all.map(({ length }) => length)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
  })

  it('the same cases give the same parts, in the order of the benchmark', () => {
    expect(parts(4)).toEqual(parts(4))
    for (const ids of parts(4)) {
      const at = ids.map((id) => Number(id.slice(5)))
      expect(at).toEqual([...at].sort((a, b) => a - b))
    }
  })

  it('earlier times balance them: a few slow cases do not end in one part', () => {
    const times = new Map(cases.map(({ id }, at) => [id, at < 8 ? 10_000 : 20]))
    const sums = parts(4, times).map((ids) => ids.reduce((sum, id) => sum + (times.get(id) ?? 0), 0))
    expect(Math.max(...sums) / Math.min(...sums)).toBeLessThan(1.02)
    expect(shardedRun(cases, parseShard('1/4'), times).key).not.toBe(
      shardedRun(cases, parseShard('1/4'), new Map()).key,
    )
  })
})
