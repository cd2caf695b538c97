import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Agent } from '../../../../src/agent/agent.js'
import { templateAgent } from '../../../../src/agent/template-agent.js'
import type { SqlCase } from '../../../../src/benchmark/case.js'
import { createExpectedResultsCache } from '../../../../src/compare/outcomes/expected-results-cache.js'
import { createSqlEvaluator, type SqlEvaluator } from '../../../../src/domains/sql/evaluator.js'
import type { History } from '../../../../src/domains/sql/repair/model/knowledge-history.js'
import type { RepairContext } from '../../../../src/domains/sql/repair/model/repair-context.js'
import { repairSqlFailures, type SqlRepairInput } from '../../../../src/domains/sql/repair/repair-sql.js'
import { createSqlRepair } from '../../../../src/domains/sql/repair/sql-repair.js'
import { createDistinguisher } from '../../../../src/domains/sql/repair/verify/twins/twin-distinguisher.js'
import type { SqlTypes } from '../../../../src/domains/sql/sql-domain-types.js'
import type { Engine, QueryLimits } from '../../../../src/engine/contract/engine.js'
import { sqliteKind } from '../../../../src/engine/file/sqlite.js'
import type { RepairInput, RepairResult } from '../../../../src/repair/model/repair-input.js'
import { type BaselineCase, runBaseline } from '../../../../src/run/baseline.js'
import type { Snapshot } from '../../../../src/snapshot/snapshot.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/index.js'
import type { AttemptRecord } from '../../../../src/store/record-types.js'
import { snapshotOf } from '../../../kb/knowledge-files.js'
import { warehouse } from './shop.js'

export const limits: QueryLimits = { timeoutMs: 5000, rows: 1000, bytes: 1_000_000, memoryBytes: 400_000_000 }

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

/** What the repair of a benchmark whose knowledge is `snapshot` is given; nothing fails unless `more` says so. */
export function repairInputOf(
  shop: Shop,
  snapshot: Snapshot,
  benchmark: readonly SqlCase[],
  more: Partial<SqlRepairInput> = {},
): SqlRepairInput {
  const context = contextOf(shop)
  return {
    ...context,
    evaluator: evaluatorOf(shop),
    concurrency: 2,
    signal: new AbortController().signal,
    benchmark,
    baseline: new Map(),
    named: new Set(),
    writeObstacle: async () => undefined,
    distinguishes: createDistinguisher({
      engineOf: () => Promise.resolve(shop.engine),
      dialectOf: context.expectedDialect,
      limits,
    }),
    snapshot,
    failing: [],
    maxRetries: 3,
    minGrade: 'E1',
    rules: true,
    llmCalls: () => 0,
    clock: () => performance.now(),
    onProgress: () => undefined,
    onStart: () => undefined,
    onAttempt: () => undefined,
    ...more,
  }
}

/** The same for the steps of the loop, which know the kind of case only by its domain. */
export function loopInputOf(...given: Parameters<typeof repairInputOf>): RepairInput<SqlTypes> {
  const input = repairInputOf(...given)
  return { ...input, domain: createSqlRepair(input) }
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
  const stable = [...baseline.values()].filter(
    ({ evaluation, flaky }) => evaluation.score.verdict === 'fail' && !flaky,
  )
  const result = await repairSqlFailures(
    repairInputOf(shop, before, cases, {
      evaluator,
      signal,
      baseline: new Map([...baseline].map(([id, { evaluation }]) => [id, evaluation])),
      failing: stable.map(({ evaluation }) => evaluation),
      onAttempt: (attempt) => attempts.push(attempt),
      ...input,
    }),
  )
  const text = (path: string): string | undefined => {
    const bytes = result.snapshot.files.get(path)
    return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  }
  return { result, attempts, baseline, before, text }
}
