import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Agent } from '../../src/agent/agent.js'
import { templateAgent } from '../../src/agent/template.js'
import type { SqlCase } from '../../src/benchmark/case.js'
import { createExpectedResultsCache } from '../../src/compare/outcomes/expected-results-cache.js'
import { createSqlEvaluator, type SqlEvaluator } from '../../src/domains/sql/evaluator.js'
import type { History } from '../../src/domains/sql/repair/model/history.js'
import type { RepairContext } from '../../src/domains/sql/repair/model/knowledge.js'
import { repairSqlFailures, type SqlRepairInput } from '../../src/domains/sql/repair/repair-sql.js'
import { createDistinguisher } from '../../src/domains/sql/repair/verify/twins/distinguish.js'
import type { SqlTypes } from '../../src/domains/sql/types.js'
import type { Engine, QueryLimits } from '../../src/engine/contract/engine.js'
import { sqliteKind } from '../../src/engine/file/sqlite.js'
import type { RepairResult } from '../../src/repair/model/input.js'
import { type BaselineCase, runBaseline } from '../../src/run/baseline.js'
import type { Snapshot } from '../../src/snapshot/snapshot.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import type { AttemptRecord } from '../../src/store/records.js'
import { snapshotOf } from '../kb/files.js'

export const limits: QueryLimits = { timeoutMs: 5000, rows: 1000, bytes: 1_000_000, memoryBytes: 400_000_000 }

/** Sales of 400 days in six markets: every filter, column and day changes the sums. No market BN: it sold nothing. */
const warehouse = `
CREATE TABLE sales (market TEXT, day TEXT, channel TEXT, status TEXT, is_test INTEGER, amount INTEGER, tax INTEGER, units INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7199)
INSERT INTO sales
SELECT substr('IDTHPHSGMYVN', 1 + 2 * (i % 6), 2), date('2024-12-01', '+' || (i / 18) || ' days'),
  CASE (i / 6) % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'app' ELSE 'store' END,
  CASE WHEN i % 7 = 0 THEN 'cancelled' ELSE 'paid' END, i % 11 = 0, 100 + (i * 37) % 997, (i * 13) % 89, 1 + (i * i) % 7
FROM n;
CREATE TABLE visits (market TEXT, day TEXT, channel TEXT, is_bot INTEGER, seconds INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7199)
INSERT INTO visits
SELECT substr('IDTHPHSGMYVN', 1 + 2 * (i % 6), 2), date('2024-12-01', '+' || (i / 18) || ' days'),
  CASE (i / 6) % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'app' ELSE 'store' END, i % 5 = 0, (i * 29) % 613
FROM n;
`

const market =
  'market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], PH: [Philippines], SG: [Singapore], MY: [Malaysia], VN: [Vietnam], BN: [Brunei] } }'
const period = 'period: { type: date_range }'
const range = 'day BETWEEN {{ period.start }} AND {{ period.end }}'

/** Clean knowledge about that warehouse. */
export const shop: Readonly<Record<string, string>> = {
  'kb/metrics/revenue.yaml': `metric: revenue
title: Turnover of paid sales
aliases: [revenue, turnover]
snippet: revenue.sql
parameters:
  ${market}
  ${period}
`,
  'kb/snippets/revenue.sql': `SELECT sum(amount) AS revenue
FROM sales
WHERE market = {{ market }}
  AND ${range}
  AND status = 'paid'
  AND is_test = 0
`,
  'kb/metrics/tax.yaml': `metric: tax
aliases: [tax]
snippet: tax.sql
parameters:
  ${market}
  ${period}
`,
  'kb/snippets/tax.sql': `SELECT sum(tax) AS tax
FROM sales
WHERE market = {{ market }}
  AND ${range}
  AND status = 'paid'
  AND is_test = 0
`,
  'kb/metrics/units.yaml': `metric: units
aliases: [units sold]
snippet: units.sql
parameters:
  ${market}
  ${period}
  by: { type: choice, values: { channel: { sql: channel, aliases: [by channel] }, status: { sql: status, aliases: [by status] } } }
  n: { type: number, words: [top], default: 10 }
`,
  'kb/snippets/units.sql': `SELECT {{ by }} AS slice, sum(units) AS units
FROM sales
WHERE market = {{ market }}
  AND ${range}
GROUP BY 1
ORDER BY 2 DESC
LIMIT {{ n }}
`,
  'kb/metrics/everything.yaml': `metric: everything
aliases: [all time sales]
snippet: everything.sql
`,
  'kb/snippets/everything.sql': `SELECT count(*) AS sales
FROM sales
WHERE is_test = 0
`,
}

export function revenueSql(market: string, start: string, end: string, more = ''): string {
  return `SELECT sum(amount) AS revenue FROM sales WHERE market = '${market}' AND day BETWEEN '${start}' AND '${end}' AND status = 'paid' AND is_test = 0${more}`
}

export function taxSql(market: string, start: string, end: string): string {
  return `SELECT sum(tax) AS tax FROM sales WHERE market = '${market}' AND day BETWEEN '${start}' AND '${end}' AND status = 'paid' AND is_test = 0`
}

export function caseOf(
  id: string,
  question: string,
  expectedSql: string,
  more: Partial<SqlCase> = {},
): SqlCase {
  const place = { file: 'benchmarks/b.yaml', line: 1, column: 1 }
  return {
    kind: 'sql',
    id,
    question,
    expectedSql,
    tags: [],
    compare: {},
    location: place,
    sqlLocation: place,
    ...more,
  }
}

export const revenueId = caseOf(
  'revenue_id',
  'ID revenue in November 2025',
  revenueSql('ID', '2025-11-01', '2025-11-30'),
)
export const revenueTh = caseOf(
  'revenue_th',
  'turnover of Thailand in August 2025',
  revenueSql('TH', '2025-08-01', '2025-08-31'),
)
export const revenueSg = caseOf(
  'revenue_sg',
  'SG revenue in Q1 2025',
  revenueSql('SG', '2025-01-01', '2025-03-31'),
)
export const taxId = caseOf('tax_id', 'ID tax in October 2025', taxSql('ID', '2025-10-01', '2025-10-31'))
export const taxVn = caseOf('tax_vn', 'VN tax in May 2025', taxSql('VN', '2025-05-01', '2025-05-31'))

/** The shop with some files in another state: a text with one piece replaced, a whole text, or null for none. */
export function shopWith(
  changes: Readonly<Record<string, readonly [string, string] | string | null>>,
): Record<string, string> {
  const files: Record<string, string> = { ...shop }
  for (const [path, change] of Object.entries(changes)) {
    const text = files[path] ?? ''
    if (change === null) delete files[path]
    else if (typeof change === 'string') files[path] = change
    else if (text.split(change[0]).length !== 2) throw new Error(`${path} holds "${change[0]}" not once`)
    else files[path] = text.replace(change[0], () => change[1])
  }
  return files
}

/** Git that knows of no earlier state. */
export const noHistory: History = {
  versionsOf: async () => [],
  queriesOf: async () => [],
  casesChangedBy: async () => [],
  knowledgeChangedBy: async () => [],
}

export interface Shop {
  readonly engine: Engine
  readonly parser: SqlParser
}

interface OpenShop extends Shop {
  readonly close: () => Promise<void>
}

/** The warehouse in an SQLite file of its own, with its guarded engine. */
async function openShop(): Promise<OpenShop> {
  const root = mkdtempSync(join(tmpdir(), 'autotest-repair-test-'))
  writeFileSync(join(root, 'shop.sql'), warehouse)
  const options = { root, fixture: 'shop.sql', concurrency: 2, memoryBytes: 400e6 }
  const engine = await sqliteKind.open('shop.db', options)
  return {
    engine,
    parser: await loadSqlParser(),
    async close() {
      await engine.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The warehouse, open while the tests of a file run. */
export function warehouseForTests(): Shop {
  let open: OpenShop | undefined
  const opened = (): OpenShop => {
    if (open === undefined) throw new Error('no test is running')
    return open
  }
  beforeAll(async () => {
    open = await openShop()
  })
  afterAll(() => open?.close())
  return {
    get engine() {
      return opened().engine
    },
    get parser() {
      return opened().parser
    },
  }
}

export function contextOf({ parser }: Pick<Shop, 'parser'>): RepairContext {
  return {
    parser,
    dialect: 'sqlite',
    translator: undefined,
    expectedDialect: (testCase) => testCase.dialect ?? 'sqlite',
    kbFolder: 'kb',
    asOf: () => '2025-12-31',
  }
}

export function evaluatorOf(
  { engine }: Shop,
  agent: Agent = templateAgent({ kbFolder: 'kb' }),
): SqlEvaluator {
  return createSqlEvaluator({
    agent,
    agentDialect: 'sqlite',
    engineOf: () => Promise.resolve(engine),
    limits,
    defaults: { policy: 'evidence', tolerance: 1e-4 },
    asOf: '2025-12-31',
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    clock: () => performance.now(),
  })
}

export interface Repaired {
  readonly result: RepairResult
  readonly attempts: readonly AttemptRecord[]
  readonly baseline: ReadonlyMap<string, BaselineCase<SqlTypes>>
  readonly before: Snapshot
  /** Text of a file after the repairs. */
  text(path: string): string | undefined
}

export interface RepairOptions extends Partial<SqlRepairInput> {
  readonly agent?: Agent
  /** Cases that are selected; else all. */
  readonly selected?: readonly SqlCase[]
}

/** Baseline and repair as a run does them, in memory. */
export async function repair(
  shop: Shop,
  files: Readonly<Record<string, string | Uint8Array>>,
  cases: readonly SqlCase[],
  options: RepairOptions = {},
): Promise<Repaired> {
  const { agent, selected = cases, ...input } = options
  const before = snapshotOf(files)
  const evaluator = evaluatorOf(shop, agent)
  const { signal } = new AbortController()
  const baseline = await runBaseline<SqlTypes>({
    cases: selected,
    snapshot: before,
    evaluator,
    concurrency: 2,
    keepPassing: true,
    times: 1,
    repeats: 2,
    known: new Map(),
    signal,
    onCase: () => undefined,
  })
  const attempts: AttemptRecord[] = []
  const context = contextOf(shop)
  const stable = [...baseline.values()].filter(
    ({ evaluation, flaky }) => evaluation.score.verdict === 'fail' && !flaky,
  )
  const result = await repairSqlFailures({
    ...context,
    evaluator,
    concurrency: 2,
    signal,
    benchmark: cases,
    baseline: new Map([...baseline].map(([id, { evaluation }]) => [id, evaluation])),
    named: new Set(),
    writeObstacle: async () => undefined,
    distinguishes: createDistinguisher({
      engineOf: () => Promise.resolve(shop.engine),
      dialectOf: context.expectedDialect,
      limits,
    }),
    snapshot: before,
    failing: stable.map(({ evaluation }) => evaluation),
    maxRetries: 3,
    minGrade: 'E1',
    rules: true,
    llmCalls: () => 0,
    clock: () => performance.now(),
    onProgress: () => undefined,
    onStart: () => undefined,
    onAttempt: (attempt) => attempts.push(attempt),
    ...input,
  })
  const text = (path: string): string | undefined => {
    const bytes = result.snapshot.files.get(path)
    return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  }
  return { result, attempts, baseline, before, text }
}
