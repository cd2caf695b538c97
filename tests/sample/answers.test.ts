import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import type { Snapshot } from '../../src/snapshot/snapshot.js'
import { driftedFiles, drifts } from './drifts.js'
import { benchmarkTexts, casesIn, type SampleCase, sampleCases } from './sample-files.js'
import { answer, cleanKnowledge as clean, understood, withTexts } from './sample-knowledge.js'
import { buildWarehouse, outcomeOf, sameRows } from './warehouse.js'

const cases = sampleCases.map((one) => [one.id, one] as const)

/** What every binding of the case is, without where the question says it. */
function bindingOf(one: SampleCase): string {
  const { bindings } = understood(one, clean)
  return JSON.stringify(bindings.map(({ parameter, value }) => ({ parameter, value })))
}

describe('the knowledge base of the sample', () => {
  it('has no problem', () => {
    expect(parseKnowledgeBase(clean, 'kb').problems).toEqual([])
  })

  it.each(cases)('answers %s', async (_id, one) => {
    expect(await answer(one, clean)).toBeDefined()
  })

  it('is asked about every metric, about at least twelve with different bindings', () => {
    const bindings = new Map<string, Set<string>>()
    for (const one of sampleCases) {
      const name = understood(one, clean).metric?.name ?? 'none'
      bindings.set(name, (bindings.get(name) ?? new Set()).add(bindingOf(one)))
    }
    const names = parseKnowledgeBase(clean, 'kb').metrics.map(({ name }) => name)
    expect([...bindings.keys()].toSorted()).toEqual(names.toSorted())
    expect([...bindings.values()].filter((own) => own.size >= 2).length).toBeGreaterThanOrEqual(12)
  })

  it('is asked with values of every kind, and periods by day, month, quarter, year, range and "last N days"', () => {
    const values = sampleCases.flatMap((one) => understood(one, clean).bindings.map(({ value }) => value))
    expect(new Set(values.map(({ kind }) => kind))).toEqual(
      new Set(['enum', 'date_range', 'number', 'choice']),
    )
    const grains = new Set(values.flatMap((value) => (value.kind === 'date_range' ? [value.grain] : [])))
    expect(grains).toEqual(new Set(['day', 'month', 'quarter', 'year', 'range', 'relative']))
  })
})

describe('the rows that the sample answers with', () => {
  let warehouse: DuckDBConnection

  beforeAll(async () => {
    warehouse = await buildWarehouse()
  })

  const known = new Map<string, boolean>()

  /** Most pairs of queries come back unchanged with every drift: they are run once. */
  async function agree(expectedSql: string, sql: string): Promise<boolean> {
    const pair = `${expectedSql}\n${sql}`
    const before = known.get(pair)
    if (before !== undefined) return before
    const [expected, actual] = [await outcomeOf(warehouse, expectedSql), await outcomeOf(warehouse, sql)]
    const same = expected !== 'fails' && actual !== 'fails' && sameRows(expected, actual, true)
    known.set(pair, same)
    return same
  }

  /** Ids of the cases whose answer has not the expected rows. */
  async function failing(snapshot: Snapshot, asked: readonly SampleCase[]): Promise<string[]> {
    const failed: string[] = []
    for (const one of asked) {
      const sql = await answer(one, snapshot)
      if (sql === undefined || !(await agree(one.sql, sql))) failed.push(one.id)
    }
    return failed
  }

  it('are the expected ones for every case', async () => {
    expect(await failing(clean, sampleCases)).toEqual([])
  })

  it.each(drifts.map((drift) => [drift.id, drift] as const))(
    'are wrong after %s in its own cases, and in no other',
    async (_id, drift) => {
      const files = driftedFiles(drift)
      const knowledge = [...files].filter(([path]) => path.startsWith('kb/'))
      const snapshot = withTexts(clean, knowledge)
      const oracles = [...files].filter(([path]) => path.startsWith('benchmarks/'))
      const asked = casesIn(new Map([...benchmarkTexts, ...oracles]))
      expect((await failing(snapshot, asked)).toSorted()).toEqual(drift.cases.toSorted())
    },
  )
})
