import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { templateAgent } from '../../src/agent/template-agent.js'
import { loadBenchmark } from '../../src/benchmark/load.js'
import { createExpectedResultsCache } from '../../src/compare/outcomes/expected-results-cache.js'
import { createSqlEvaluator } from '../../src/domains/sql/evaluator.js'
import { repairSqlFailures } from '../../src/domains/sql/repair/repair-sql.js'
import { createDistinguisher } from '../../src/domains/sql/repair/verify/twins/twin-distinguisher.js'
import type { SqlTypes } from '../../src/domains/sql/sql-domain-types.js'
import { openJournal } from '../../src/edit/journal.js'
import type { Engine } from '../../src/engine/contract/engine.js'
import { sqliteKind } from '../../src/engine/file/sqlite.js'
import { runBaseline } from '../../src/run/baseline.js'
import { loadSnapshot } from '../../src/snapshot/load.js'
import { loadSqlParser } from '../../src/sql/index.js'
import { iniFormat } from './ini-format.js'

const sales = `CREATE TABLE sales (market TEXT, day TEXT, status TEXT, amount INTEGER, tax INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3599)
INSERT INTO sales
SELECT substr('IDTHPH', 1 + 2 * (i % 3), 2), date('2025-01-01', '+' || (i / 10) || ' days'),
  CASE WHEN i % 7 = 0 THEN 'cancelled' ELSE 'paid' END, 100 + (i * 37) % 997, (i * 13) % 89
FROM n;`

const period = 'day BETWEEN {{ period.start }} AND {{ period.end }}'
const knowledge = `# What the shop knows; asked by the sales team.

[revenue]
title = Turnover of paid sales
words = revenue, turnover
market = ID: Indonesia; TH: Thailand; PH: Philippines
period = dates
sql = SELECT sum(amount)   -- in cents
  FROM sales
  WHERE market = {{ market }}
    AND ${period}

[tax]
title = Duties on sales
words =   tax
market = ID: Indonesia; TH: Thailand; PH: Philippines
period = dates
sql = SELECT sum(tax) FROM sales
  WHERE market = {{ market }} AND ${period}
`
const may = "day BETWEEN '2025-05-01' AND '2025-05-31'"
const benchmark = `cases:
  - id: revenue_id
    question: ID revenue in May 2025
    expected_sql: SELECT sum(amount) FROM sales WHERE market = 'ID' AND ${may} AND status = 'paid'
  - id: revenue_th
    question: revenue of Thailand in June 2025
    expected_sql: SELECT sum(amount) FROM sales WHERE market = 'TH' AND day BETWEEN '2025-06-01' AND '2025-06-30' AND status = 'paid'
  - id: tax_th
    question: TH tax in May 2025
    expected_sql: SELECT sum(tax) FROM sales WHERE market = 'TH' AND ${may}
  - id: duties_ph
    question: PH duties in May 2025
    expected_sql: SELECT sum(tax) FROM sales WHERE market = 'PH' AND ${may}
`

const limits = { timeoutMs: 5000, rows: 1000, bytes: 1_000_000, memoryBytes: 400_000_000 }
let root = ''
let engine: Engine
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'autotest-ini-format-'))
  mkdirSync(join(root, 'kb'))
  writeFileSync(join(root, 'kb/answers.md'), knowledge)
  writeFileSync(join(root, 'cases.yaml'), benchmark)
  writeFileSync(join(root, 'shop.sql'), sales)
  engine = await sqliteKind.open('shop.db', { root, fixture: 'shop.sql', concurrency: 1, memoryBytes: 400e6 })
})
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true, force: true })
})

it('goes through a run: fails, is repaired by the rules, proved, written, and taken back byte for byte', async () => {
  const { signal } = new AbortController()
  const { cases } = await loadBenchmark({ paths: ['cases.yaml'], cwd: root })
  const { snapshot } = await loadSnapshot(root, ['kb'])
  const evaluator = createSqlEvaluator({
    agent: templateAgent({ kbFolder: 'kb', format: iniFormat }),
    agentDialect: 'sqlite',
    engineOf: async () => engine,
    limits,
    defaults: { policy: 'evidence', tolerance: 1e-4 },
    asOf: '2025-12-31',
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    clock: () => performance.now(),
  })
  const baseline = await runBaseline<SqlTypes>({
    ...{ cases, snapshot, evaluator, signal, concurrency: 1, keepPassing: true, times: 1, repeats: 1 },
    known: new Map(),
    onCase: () => undefined,
  })
  const evaluations = new Map([...baseline].map(([id, { evaluation }]) => [id, evaluation]))
  expect([...evaluations].map(([id, { score }]) => [id, score.verdict])).toEqual([
    ['revenue_id', 'fail'],
    ['revenue_th', 'fail'],
    ['tax_th', 'pass'],
    ['duties_ph', 'fail'],
  ])
  const result = await repairSqlFailures({
    ...{ evaluator, snapshot, signal, concurrency: 1, benchmark: cases, baseline: evaluations },
    ...{ kbFolder: 'kb', format: iniFormat, dialect: 'sqlite', translator: undefined, rules: true },
    ...{ named: new Set<string>(), maxRetries: 3, minGrade: 'E1' },
    parser: await loadSqlParser(),
    expectedDialect: () => 'sqlite',
    asOf: () => '2025-12-31',
    failing: [...evaluations.values()].filter(({ score }) => score.verdict === 'fail'),
    distinguishes: createDistinguisher({ engineOf: async () => engine, dialectOf: () => 'sqlite', limits }),
    writeObstacle: async () => undefined,
    llmCalls: () => 0,
    clock: () => performance.now(),
    onStart: () => undefined,
    onProgress: () => undefined,
    onAttempt: () => undefined,
  })
  expect(result.accepted.map(({ attempt: { title, grade, cases: fixed } }) => [title, grade, fixed])).toEqual(
    [
      ["revenue: filter status = 'paid' was missing", 'E2', ['revenue_id', 'revenue_th']],
      ['tax: alias "duties" was missing', 'E1', ['duties_ph']],
    ],
  )

  const journal = await openJournal({ root, allowedRoots: ['kb'], now: () => new Date(), pid: process.pid })
  for (const { attempt, changes } of result.accepted) await journal.write('r-1', attempt.id, changes)
  expect(readFileSync(join(root, 'kb/answers.md'), 'utf8')).toBe(
    knowledge
      .replace(`    AND ${period}\n`, `    AND ${period}\n    AND status = 'paid'\n`)
      .replace('words =   tax\n', 'words = tax, duties\n'),
  )
  await journal.revert('r-1')
  expect(readFileSync(join(root, 'kb/answers.md'), 'utf8')).toBe(knowledge)
})
