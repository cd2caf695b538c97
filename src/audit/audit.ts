import type { SqlCase } from '../benchmark/case.js'
import type { Engine } from '../engine/contract/engine.js'
import { AutotestError } from '../errors.js'
import { interpret } from '../kb/interpret-question.js'
import type { Interpretation } from '../kb/question-interpretation.js'
import { forEachConcurrent } from '../run/for-each-concurrent.js'
import { type Schema, schemaFromCatalogue, translateSql } from '../sql/index.js'
import { type AuditContext, type AuditedCase, rowOrderOf } from './audited-case.js'
import { auditContradictions } from './case-contradictions.js'
import {
  type CaseReads,
  entriesReadBy,
  findCasesReadingNothing,
  findUnreadEntries,
} from './entry-coverage.js'
import { auditExpected } from './expected-query.js'
import {
  type AuditReport,
  type CaseAudit,
  type Finding,
  noMutants,
  queryFinding,
  sortBySeverity,
} from './finding.js'
import { generateMutants } from './mutants.js'
import { comparedColumns } from './mutate/literals.js'
import { readQuery } from './mutate/query-text.js'
import { createValueReader, type ValueReader } from './read-column-values.js'
import { auditMutants } from './surviving-mutants.js'

export interface AuditInput {
  /** Every case of the benchmark: a case that contradicts a selected one may not be selected itself. */
  readonly benchmark: readonly SqlCase[]
  readonly selected: readonly SqlCase[]
  readonly context: AuditContext
  /** The entries that each case reads: `words` derives them from the knowledge base; undefined if unknown. */
  readonly reads: 'words' | ReadonlyMap<string, CaseReads> | undefined
  readonly onProgress: (progress: AuditProgress) => void
}

export interface AuditProgress {
  /** Number of cases done, of `total`. */
  readonly done: number
  readonly total: number
  /** Number of mutants tried so far. */
  readonly mutants: number
}

/**
 * Audits the quality of a benchmark: whether its expected queries are sound, whether the data would expose a
 * wrong query, and whether its cases agree and cover the knowledge base. Throws `interrupted` once the signal
 * aborts, `usage` if a case has no database, and `engine_*` if an engine fails.
 */
export async function audit(input: AuditInput): Promise<AuditReport> {
  const { benchmark, selected, context } = input
  const databases = new Map<Engine, Promise<AuditedDatabase>>()
  const audited = new Map<SqlCase, CaseAudit & { readonly findings: readonly Finding[] }>()
  let mutants = 0
  // While the queries of one case are compared, the database answers those of another.
  await forEachConcurrent(selected, casesAtOnce, context.signal, async (testCase) => {
    const row = await auditCase(testCase, databases, context)
    audited.set(testCase, row)
    mutants += row.mutants.tried
    input.onProgress({ done: audited.size, total: selected.length, mutants })
  })
  if (context.signal.aborted) throw interrupted()
  const inOrder = selected.flatMap((testCase) => audited.get(testCase) ?? [])
  const cases = inOrder.map(({ findings: _, ...row }) => row)
  const findings = inOrder.flatMap((row) => row.findings)
  const meanings = new Map<SqlCase, Interpretation>()
  const meaningOf = (testCase: SqlCase): Interpretation => {
    const meaning = meanings.get(testCase) ?? interpret(testCase.question, context.kb, context.asOf(testCase))
    meanings.set(testCase, meaning)
    return meaning
  }
  const ids = new Set(selected.map(({ id }) => id))
  const disagreeing = await auditContradictions(benchmark, meaningOf, context)
  if (context.signal.aborted) throw interrupted()
  findings.push(...disagreeing.filter(({ subject }) => ids.has(subject)))
  const reads =
    input.reads === 'words'
      ? new Map(benchmark.map((testCase) => [testCase.id, entriesReadBy(meaningOf(testCase), context.kb)]))
      : input.reads
  if (reads !== undefined) {
    findings.push(...findCasesReadingNothing(selected, reads))
    // With a filter every other entry would seem unread.
    if (selected.length === benchmark.length) findings.push(...findUnreadEntries(context.kb, reads))
  }
  return { cases, findings: sortBySeverity(findings) }
}

const casesAtOnce = 4

/** Facts of a database that are queried once. */
interface AuditedDatabase {
  readonly schema: Schema
  readonly values: ValueReader
}

async function auditCase(
  testCase: SqlCase,
  databases: Map<Engine, Promise<AuditedDatabase>>,
  context: AuditContext,
): Promise<CaseAudit & { readonly findings: readonly Finding[] }> {
  const { id, sqlLocation } = testCase
  const row = { id, file: sqlLocation.file, line: sqlLocation.line, mutants: noMutants, equivalent: [] }
  const [engine, other] = [await context.engineOf(testCase), await context.otherEngineOf(testCase)]
  if (engine === undefined || other === undefined) throw noEngine(testCase)
  const from = context.dialectOf(testCase)
  const carried = await translateSql(testCase.expectedSql, from, engine.dialect)
  if (carried.kind === 'failed') {
    const text = `expected_sql cannot be transpiled from ${from} to ${engine.dialect}: ${carried.message}`
    return {
      ...row,
      findings: [queryFinding(testCase, 'expected_fails', text, 'Correct the query or its `dialect`.')],
    }
  }
  const opened = databases.get(engine) ?? openDatabase(engine, context)
  databases.set(engine, opened)
  const database = await opened
  const order = rowOrderOf(testCase, carried.sql, engine, context)
  const subject: AuditedCase = { testCase, engine, other, schema: database.schema, sql: carried.sql, order }
  const tokens = context.parser.tokenize(subject.sql, engine.dialect)
  const query = tokens.kind === 'tokens' ? readQuery(subject.sql, tokens.tokens, subject.schema) : undefined
  const expected = await auditExpected(subject, query, context)
  if (expected.outcome === undefined) return { ...row, findings: expected.findings }
  if (query === undefined) {
    const why = tokens.kind === 'failed' ? tokens.message : ''
    const finding = queryFinding(
      testCase,
      'unreadable',
      `expected_sql runs, but cannot be parsed to make mutants: ${why}`,
      'Simplify the query, or set the `dialect` of the file.',
    )
    return { ...row, findings: [...expected.findings, finding] }
  }
  const values = await database.values.read(comparedColumns(query))
  const mutants = generateMutants(query, values, engine.dialect)
  const { counts, surviving, equivalent } = await auditMutants(subject, mutants, expected.outcome, context)
  const findings = surviving.length === 0 ? [] : [survivorsFinding(testCase, surviving, counts.tried)]
  const proven = equivalent.map(({ words }) => words)
  return { ...row, mutants: counts, equivalent: proven, findings: [...expected.findings, ...findings] }
}

async function openDatabase(engine: Engine, { limits, copies }: AuditContext): Promise<AuditedDatabase> {
  // Some mutant always needs them, and until they are ready the database can answer the others.
  copies.prepare(engine)
  const schema = schemaFromCatalogue(await engine.catalogue())
  return { schema, values: createValueReader(engine, limits) }
}

function survivorsFinding(
  testCase: SqlCase,
  surviving: NonNullable<Finding['mutants']>,
  tried: number,
): Finding {
  const text = `${surviving.length} of ${tried} mutants return the same rows`
  const advice =
    'Add rows to the database, or a case, that distinguish them; ignore a mutant with the same meaning.'
  return queryFinding(testCase, 'survivors', text, advice, surviving)
}

function noEngine({ id, location: { file, line } }: SqlCase): AutotestError {
  return new AutotestError('usage', `audit runs queries, and ${id} (${file}:${line}) has no database`, {
    hint: 'Give one with --engine duckdb:FILE, sqlite:FILE, postgres://USER@HOST/DATABASE, mysql://… or http:URL, or set `engine` in autotest.config.yaml.',
  })
}

function interrupted(): AutotestError {
  return new AutotestError('interrupted', 'interrupted: an audit saves no partial result', {
    hint: 'Run it again; --tags and --id select fewer cases.',
  })
}
