import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadBenchmark } from '../../src/benchmark/load.js'
import { createExpectedResultsCache } from '../../src/compare/outcomes/expected-results-cache.js'
import { scoreSql } from '../../src/compare/score-sql.js'
import type { Engine } from '../../src/engine/contract/engine.js'
import { duckdbKind } from '../../src/engine/file/duckdb.js'
import { loadSqlParser } from '../../src/sql/index.js'
import { answer, cleanKnowledge } from './sample-knowledge.js'
import { sampleRoot } from './sample-root.js'

const { cases } = await loadBenchmark({ paths: ['benchmarks'], cwd: sampleRoot })
const limits = { timeoutMs: 30_000, rows: 100_000, bytes: 64_000_000, memoryBytes: 1_000_000_000 }
const expectedResults = createExpectedResultsCache()
const folder = mkdtempSync(join(tmpdir(), 'autotest-sample-'))
let engine: Engine

beforeAll(async () => {
  engine = await duckdbKind.open('shop.duckdb', {
    root: folder,
    fixture: resolve(sampleRoot, 'data/shop.sql'),
    concurrency: 1,
    memoryBytes: limits.memoryBytes,
  })
})

afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

it.each(cases.map((testCase) => [testCase.id, testCase] as const))(
  '%s passes by structure and by rows, though analyst and author wrote different SQL',
  async (_id, testCase) => {
    const sql = await answer({ ...testCase, sql: testCase.expectedSql }, cleanKnowledge)
    const score = await scoreSql({
      testCase,
      sql: sql ?? '',
      agentDialect: 'duckdb',
      engine,
      limits,
      defaults: { policy: 'both', tolerance: 1e-4 },
      loadParser: loadSqlParser,
      expectedResults,
    })
    expect(score).toMatchObject({ verdict: 'pass', structure: { kind: 'equal' }, results: { kind: 'match' } })
  },
)
