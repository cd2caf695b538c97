import type { CopyComparer } from '../../../compare/copies/compare-on-copies.js'
import { engineSchema } from '../../../compare/engine-schema.js'
import type { ResultFinding } from '../../../compare/model/sql-score.js'
import { mayHaveOrderBy, queryOrder, unordered } from '../../../compare/order/query-order.js'
import type { ExpectedResultsCache } from '../../../compare/outcomes/expected-results-cache.js'
import { compareOptions, type RowOrder } from '../../../compare/outcomes/query-outcomes.js'
import { queryDialects } from '../../../compare/query-dialects.js'
import { compareResults } from '../../../compare/results/compare-results.js'
import { type EngineRun, scorePair } from '../../../compare/score-pair.js'
import { decideVerdict } from '../../../compare/verdict/verdict.js'
import type { Verdict } from '../../../contracts/score.js'
import type { Engine, QueryLimits } from '../../../engine/contract/engine.js'
import type { Dialect } from '../../../enums/dialect.js'
import type { Policy } from '../../../enums/verdict-policy.js'
import { AutotestError } from '../../../errors.js'
import { isSameSqlText, type SqlParser, type StructuralComparison, translateSql } from '../../../sql/index.js'
import type { EnginePool } from '../../engine-pool.js'
import type { QuerySide, StructureComparer } from '../structure-comparer.js'
import type { BulkLine } from './bulk-line.js'

/** Settings shared by all lines. */
export interface LineContext {
  readonly parser: SqlParser
  readonly structure: StructureComparer
  readonly engines: EnginePool
  readonly expectedResults: ExpectedResultsCache
  readonly copies: CopyComparer
  readonly limits: QueryLimits
  readonly tolerance: number
  readonly policy: Policy
  /** For lines that specify none. */
  readonly engine: string | undefined
  readonly dialect: Dialect | undefined
}

export interface LineFinding {
  /** Undefined if there is no pair of queries. */
  readonly structure: StructuralComparison | undefined
  readonly results: ResultFinding
  readonly verdict: Verdict
}

interface Pair {
  readonly expected: QuerySide
  readonly generated: QuerySide
}

/** Compares what a line requests. Throws `AutotestError` if the line's engine or schema is faulty. */
export async function compareLine(line: BulkLine, context: LineContext): Promise<LineFinding> {
  const url = line.engine ?? context.engine
  if (url === undefined || line.results !== undefined) return compareOn(undefined, line, context)
  return context.engines.use(url, (engine) => compareOn(engine, line, context))
}

async function compareOn(
  engine: Engine | undefined,
  line: BulkLine,
  context: LineContext,
): Promise<LineFinding> {
  const dialects = queryDialects({
    expected: line.expectedDialect,
    generated: line.generatedDialect,
    both: context.dialect,
    engine: engine?.dialect,
  })
  const expected = querySide(line.expected, dialects.expected)
  const generated = querySide(line.generated, dialects.generated)
  if (expected === undefined || generated === undefined) {
    // If there are only two results, they decide.
    const results = givenResults(line, expected, context)
    return { structure: undefined, results, verdict: decideVerdict(undefined, results, 'results').verdict }
  }
  const pair = { expected, generated }
  const structure = () => structureOf(engine, line, pair, context)
  if (engine === undefined) {
    const [found, results] = [await structure(), givenResults(line, expected, context)]
    return { structure: found, results, verdict: decideVerdict(found, results, context.policy).verdict }
  }
  const run = await runInput(engine, pair, context)
  if (run.kind === 'failed') {
    const [found, results] = [await structure(), run.results]
    return { structure: found, results, verdict: decideVerdict(found, results, context.policy).verdict }
  }
  const { copies, policy } = context
  const score = await scorePair({ policy, run: run.input, structure, copies })
  return { structure: score.structure, results: score.results, verdict: score.decision.verdict }
}

/** Returns the line's own schema, else that of its database. */
async function structureOf(
  engine: Engine | undefined,
  line: BulkLine,
  { expected, generated }: Pair,
  { structure }: LineContext,
): Promise<StructuralComparison> {
  const ddl = line.schema
  const catalogue = ddl === undefined && engine !== undefined ? await engineSchema(engine) : undefined
  const schema = ddl === undefined ? catalogue : structure.schemaOf(ddl, expected.dialect)
  // Rows show more about the tables than their names do.
  const isTextAlone = engine === undefined && line.results === undefined
  return structure.compare(expected, generated, {
    schema,
    conventionalNames: isTextAlone,
    dialectDefaults: isTextAlone,
  })
}

function givenResults(line: BulkLine, expected: QuerySide | undefined, context: LineContext): ResultFinding {
  return line.results === undefined
    ? { kind: 'skipped', reason: 'no engine is configured' }
    : compareGiven(line.results, expected, context)
}

function compareGiven(
  results: NonNullable<BulkLine['results']>,
  expected: QuerySide | undefined,
  context: LineContext,
): ResultFinding {
  const cut = (['expected', 'generated'] as const).filter((side) => results[side].cut !== null)
  const [side, another] = cut
  if (side !== undefined) {
    const message = `incomplete: ${cut.map((name) => `${name}_result`).join(' and ')}`
    return { kind: 'cut', side: another === undefined ? side : 'both', message }
  }
  const how = { order: orderOf(expected, context.parser), tolerance: context.tolerance, columns: undefined }
  const comparison = compareResults(
    results.expected,
    results.generated,
    compareOptions(results.expected, how),
  )
  return comparison.match
    ? { kind: 'match', comparison, empty: results.expected.rows.length === 0 }
    : { kind: 'mismatch', comparison }
}

type RunInput =
  | { readonly kind: 'run'; readonly input: EngineRun }
  | { readonly kind: 'failed'; readonly results: ResultFinding }

/** Returns both queries in the engine's dialect, or which one cannot be transpiled. */
async function runInput(engine: Engine, pair: Pair, context: LineContext): Promise<RunInput> {
  const expected = await translateToEngine(pair.expected, engine)
  const generated = await translateToEngine(pair.generated, engine)
  if (expected.kind === 'failed')
    return { kind: 'failed', results: { kind: 'expected_failed', how: 'failed', message: expected.message } }
  if (generated.kind === 'failed')
    return {
      kind: 'failed',
      results: { kind: 'generated_failed', how: 'failed', message: generated.message },
    }
  const input: EngineRun = {
    engine,
    limits: context.limits,
    expectedSql: expected.sql,
    generatedSql: generated.sql,
    same: isSameSqlText(expected.sql, generated.sql),
    order: orderOf({ sql: expected.sql, dialect: engine.dialect }, context.parser),
    tolerance: context.tolerance,
    columns: 'auto',
    expectedOutcome: () => context.expectedResults.outcome(engine, expected.sql, context.limits),
  }
  return { kind: 'run', input }
}

/** Returns the query in the engine's dialect. */
async function translateToEngine(side: QuerySide, engine: Engine) {
  const carried = await translateSql(side.sql, side.dialect, engine.dialect)
  if (carried.kind === 'sql') return carried
  const message = `cannot be transpiled from ${side.dialect} to ${engine.dialect}: ${carried.message}`
  return { kind: 'failed', message } as const
}

function orderOf(expected: QuerySide | undefined, parser: SqlParser): RowOrder {
  if (expected === undefined || !mayHaveOrderBy(expected.sql)) return unordered
  return queryOrder(parser, expected.sql, expected.dialect)
}

function querySide(sql: string | undefined, dialect: Dialect): QuerySide | undefined {
  return sql === undefined ? undefined : { sql, dialect }
}

/**
 * Returns the error of a line: errors of an engine or a schema belong to their line, a bug ends the program.
 */
export function describeLineError(error: unknown): string {
  if (!(error instanceof AutotestError)) throw error
  return error.hint === undefined ? error.message : `${error.message} (${error.hint})`
}
