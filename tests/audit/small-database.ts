import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../../src/audit/audit.js'
import type { AuditReport, Finding, FindingKind } from '../../src/audit/finding.js'
import type { SqlCase } from '../../src/benchmark/case.js'
import { createCopyComparer } from '../../src/compare/copies/compare-on-copies.js'
import type { Engine } from '../../src/engine/contract/engine.js'
import type { FixedEngineKind } from '../../src/engine/contract/engine-kind.js'
import { duckdbKind } from '../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../src/engine/file/sqlite.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { loadSqlParser } from '../../src/sql/index.js'
import { limits } from '../engine/temporary-database.js'
import { snapshotOf } from '../kb/knowledge-files.js'

export const kinds: readonly (readonly [name: string, kind: FixedEngineKind])[] = [
  ['DuckDB', duckdbKind],
  ['SQLite', sqliteKind],
]

/** Two markets, three days, one cancelled order; order 4 is the only one without a customer. */
const shopScript = `
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, city TEXT);
INSERT INTO customers VALUES (1, 'Jakarta'), (2, 'Bangkok'), (3, 'Bangkok');
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, market TEXT, status TEXT, day TEXT, amount DOUBLE, customer_id INTEGER);
INSERT INTO orders VALUES
  (1, 'ID', 'paid', '2025-11-01', 10, 1),
  (2, 'ID', 'paid', '2025-11-02', 20, 1),
  (3, 'ID', 'cancelled', '2025-11-03', 40, 2),
  (4, 'TH', 'paid', '2025-11-02', 15, NULL);
`

export function sqlCase(
  id: string,
  question: string,
  expectedSql: string,
  change: Partial<SqlCase> = {},
): SqlCase {
  const location = { file: 'benchmarks/shop.yaml', line: 10, column: 5 }
  return {
    kind: 'sql',
    id,
    question,
    expectedSql,
    tags: [],
    compare: {},
    location,
    sqlLocation: location,
    ...change,
  }
}

export interface Setting {
  readonly kind?: FixedEngineKind
  /** Path → text of the knowledge base. */
  readonly files?: Readonly<Record<string, string>>
  readonly selected?: readonly SqlCase[]
  readonly signal?: AbortSignal
  readonly engine?: 'none'
  readonly rows?: number
  /** Fuzzed copies of the database. */
  readonly copies?: number
}

const opened = new Map<string, Promise<Engine>>()
let root: string | undefined

/** For `afterAll` of every file that audits. */
export async function closeDatabases(): Promise<void> {
  for (const engine of opened.values()) await (await engine).close()
  opened.clear()
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
  root = undefined
}

function newRoot(): string {
  const dir = mkdtempSync(join(tmpdir(), 'autotest-audit-'))
  writeFileSync(join(dir, 'shop.sql'), shopScript)
  return dir
}

/** The small database in a process named so, which the tests of a file share. */
function database(kind: FixedEngineKind, name: string): Promise<Engine> {
  root ??= newRoot()
  const key = `${kind.scheme} ${name}`
  const options = { root, fixture: 'shop.sql', concurrency: 2, memoryBytes: 400e6 }
  const engine = opened.get(key) ?? kind.open(`shop.${kind.scheme}`, options)
  opened.set(key, engine)
  return engine
}

/** An audit of cases on the small database. */
export async function auditOf(cases: readonly SqlCase[], setting: Setting = {}): Promise<AuditReport> {
  const { kind = duckdbKind, files = {}, selected = cases } = setting
  const engineOf = async (name: string) =>
    setting.engine === 'none' ? undefined : await database(kind, name)
  return audit({
    benchmark: cases,
    selected,
    reads: 'words',
    context: {
      parser: await loadSqlParser(),
      kb: parseKnowledgeBase(snapshotOf(files), 'kb'),
      agentDialect: kind.dialect,
      dialectOf: (testCase) => testCase.dialect ?? kind.dialect,
      asOf: (testCase) => testCase.asOf ?? '2025-12-31',
      engineOf: () => engineOf('first'),
      otherEngineOf: () => engineOf('other'),
      copies: createCopyComparer({
        count: setting.copies ?? 0,
        seed: 1,
        source: () => Promise.resolve(undefined),
        loadParser: loadSqlParser,
      }),
      limits: { ...limits, rows: setting.rows ?? limits.rows },
      defaults: { policy: 'evidence', tolerance: 1e-4 },
      concurrency: 2,
      signal: setting.signal ?? new AbortController().signal,
    },
    onProgress: () => undefined,
  })
}

export function findingsOf(report: AuditReport, kind: FindingKind): readonly Finding[] {
  return report.findings.filter((finding) => finding.kind === kind)
}
