import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { Value } from '../../../src/engine/contract/engine.js'
import { needsShared } from '../../needs.js'
import { date, decimal, defaults, matches, result } from './small-results.js'

describe('order', () => {
  const expected = result('a,b', ['x', 3], ['y', 2], ['z', 2], ['w', 1])

  it('does not count unless asked for', () => {
    expect(matches(expected, result('a,b', ['w', 1], ['z', 2], ['y', 2], ['x', 3]))).toBe(true)
  })

  it('counts where it is asked for', () => {
    expect(
      matches(expected, result('a,b', ['y', 2], ['x', 3], ['z', 2], ['w', 1]), { order: 'ordered' }),
    ).toBe(false)
    expect(matches(expected, expected, { order: 'ordered' })).toBe(true)
  })

  it('lets ties come in any order, and nothing else', () => {
    const ordered = { order: 'ordered', orderColumns: [1] } as const
    expect(matches(expected, result('a,b', ['x', 3], ['z', 2], ['y', 2], ['w', 1]), ordered)).toBe(true)
    expect(matches(expected, result('a,b', ['x', 3], ['y', 2], ['w', 1], ['z', 2]), ordered)).toBe(false)
    expect(
      matches(expected, result('a,b', ['x', 3], ['z', 2], ['y', 2], ['w', 1]), { order: 'ordered' }),
    ).toBe(false)
  })

  it('says so where the rows are right and their order is not', () => {
    const found = compareResults(result('a', [1], [2], [3]), result('a', [1], [3], [2]), {
      ...defaults,
      order: 'ordered',
    })
    expect(found.differences).toEqual([{ kind: 'order', text: 'rows are in another order, from row 2 on' }])
  })
})

describe('large results', () => {
  it('of a hundred thousand noisy rows are matched', () => {
    const noise = (i: number) => 1 + ((i % 7) - 3) * 1e-6
    const rows = Array.from({ length: 100_000 }, (_, i): Value[] => [`k${i % 1000}`, (i * 37.7) % 991])
    const shuffledRows = rows
      .map(([key = null, value], i): Value[] => [key, Number(value) * noise(i)])
      .reverse()
    expect(matches(result('k,v', ...rows), result('k,v', ...shuffledRows))).toBe(true)
  })

  it('of many equal rows in a column of numbers are matched', () => {
    const rows = Array.from({ length: 20_000 }, (_, i): Value[] => [i % 2 === 0 ? 0.5 : 0.25])
    const actual = rows.map(([value]): Value[] => [Number(value) * (1 + 1e-6)])
    expect(matches(result('v', ...rows), result('v', ...actual.reverse()))).toBe(true)
    expect(
      compareResults(result('v', ...rows), result('v', ...actual.slice(1), [0.75]), defaults).differing,
    ).toBe(1)
  })
})

interface Trap {
  readonly id: string
  readonly want: boolean
  readonly gold: { readonly columns: string[]; readonly rows: unknown[][] }
  readonly pred: { readonly columns: string[]; readonly rows: unknown[][] }
  readonly gold_sql: string
}

const trapsPath = fileURLToPath(new URL('../../../../shared/corpora/result_traps.jsonl', import.meta.url))
const hasTraps = existsSync(trapsPath)
const traps: readonly Trap[] = hasTraps
  ? readFileSync(trapsPath, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : []

function trapValue(cell: unknown): Value {
  if (cell === null || typeof cell === 'number' || typeof cell === 'string' || typeof cell === 'boolean')
    return cell
  const [kind, text] = Object.entries(Object(cell))[0] ?? []
  if (kind === '$decimal') return decimal(String(text))
  if (kind === '$bigint') return BigInt(String(text))
  if (kind === '$date') return date(String(text))
  throw new Error(`unknown cell ${JSON.stringify(cell)}`)
}

describe('traps of other comparators (../shared/corpora/result_traps.jsonl)', () => {
  it('are present', needsShared('corpora/result_traps.jsonl'), () => {
    expect(traps.length).toBeGreaterThanOrEqual(21)
  })

  it.each(traps)('$id: $want', ({ want, gold, pred, gold_sql: sql }) => {
    const read = (side: Trap['gold']) =>
      result(side.columns.join(','), ...side.rows.map((row) => row.map(trapValue)))
    const order = /order by[^()]*$/i.test(sql) ? 'ordered' : 'unordered'
    expect(matches(read(gold), read(pred), { order })).toBe(want)
  })
})
