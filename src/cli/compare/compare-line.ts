import type { ExpectedResults } from '../../compare/expected-results.js'
import { mayOrder, queryOrder, unordered } from '../../compare/query-order.js'
import { compareResults } from '../../compare/results.js'
import { type RowOrder, type RunBothInput, runBoth } from '../../compare/run-both.js'
import type { ResultFinding, Verdict } from '../../compare/score.js'
import { decideVerdict } from '../../compare/verdict.js'
import type { Dialect } from '../../dialect.js'
import type { Engine, QueryLimits } from '../../engine/engine.js'
import { AutotestError } from '../../errors.js'
import type { StructureFinding } from '../../sql/finding.js'
import type { SqlParser } from '../../sql/parser.js'
import { sameText } from '../../sql/same-text.js'
import type { BulkLine } from './bulk-line.js'
import type { Engines } from './engines.js'
import type { Side, StructureComparer } from './structure.js'

/** What all lines share. */
export interface LineContext {
  readonly parser: SqlParser
  readonly structure: StructureComparer
  readonly engines: Engines
  readonly expectedResults: ExpectedResults
  readonly limits: QueryLimits
  readonly tolerance: number
  /** For lines that name none. */
  readonly engine: string | undefined
  readonly dialect: Dialect | undefined
}

export interface LineFinding {
  /** Undefined where there is no pair of queries. */
  readonly structure: StructureFinding | undefined
  readonly results: ResultFinding
  readonly verdict: Verdict
}

interface Pair {
  readonly expected: Side
  readonly generated: Side
}

/** Compares what a line asks for. Throws `AutotestError` where the line's engine or schema is at fault. */
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
  const fallback = context.dialect ?? engine?.dialect ?? 'ansi'
  const expected = sideOf(line.expected, line.expectedDialect ?? fallback)
  const generated = sideOf(line.generated, line.generatedDialect ?? fallback)
  const pair = expected === undefined || generated === undefined ? undefined : { expected, generated }
  const structure = pair === undefined ? undefined : await structureOf(engine, line, pair, context)
  const again = () => resultsOf(engine, line, expected, pair, context)
  const results = await again()
  // Where there is nothing but two results, they decide.
  const policy = structure === undefined ? 'results' : 'evidence'
  const decision = decideVerdict(structure, results, policy)
  if (decision.rerun === undefined || engine === undefined)
    return { structure, results, verdict: decision.verdict }
  const second = await again()
  const passes = second.kind === 'match' && results.kind === 'generated_failed'
  return { structure, results: passes ? second : results, verdict: passes ? 'pass' : decision.verdict }
}

/** The line's own schema, else the tables of the database it names. */
async function structureOf(
  engine: Engine | undefined,
  line: BulkLine,
  { expected, generated }: Pair,
  { structure }: LineContext,
): Promise<StructureFinding> {
  const ddl = line.schema
  const catalogue = ddl === undefined && engine !== undefined ? await structure.schemaIn(engine) : undefined
  const schema = ddl === undefined ? catalogue : structure.schemaOf(ddl, expected.dialect)
  return structure.compare(expected, generated, schema)
}

async function resultsOf(
  engine: Engine | undefined,
  line: BulkLine,
  expected: Side | undefined,
  pair: Pair | undefined,
  context: LineContext,
): Promise<ResultFinding> {
  if (line.results !== undefined) return compareGiven(line.results, expected, context)
  if (engine === undefined || pair === undefined) return { kind: 'skipped', reason: 'no engine is named' }
  return runPair(engine, pair, context)
}

function compareGiven(
  results: NonNullable<BulkLine['results']>,
  expected: Side | undefined,
  context: LineContext,
): ResultFinding {
  const { order, columnsIn } = orderOf(expected, context.parser)
  const comparison = compareResults(results.expected, results.generated, {
    order,
    tolerance: context.tolerance,
    columns: 'auto',
    orderColumns: columnsIn(results.expected),
  })
  return comparison.match
    ? { kind: 'match', comparison, empty: results.expected.rows.length === 0 }
    : { kind: 'mismatch', comparison }
}

async function runPair(engine: Engine, pair: Pair, context: LineContext): Promise<ResultFinding> {
  const carried = {
    expected: carry(pair.expected, engine, context),
    generated: carry(pair.generated, engine, context),
  }
  if (carried.expected.kind === 'failed')
    return { kind: 'expected_failed', how: 'failed', message: carried.expected.message }
  if (carried.generated.kind === 'failed')
    return { kind: 'generated_failed', how: 'failed', message: carried.generated.message }
  const [expectedSql, generatedSql] = [carried.expected.sql, carried.generated.sql]
  const input: RunBothInput = {
    engine,
    limits: context.limits,
    expectedSql,
    generatedSql,
    same: sameText(expectedSql, generatedSql),
    order: orderOf(pair.expected, context.parser),
    tolerance: context.tolerance,
    columns: 'auto',
    expectedOutcome: () => context.expectedResults.outcome(engine, expectedSql, context.limits),
  }
  return runBoth(input)
}

/** The query in the engine's dialect. */
function carry(side: Side, engine: Engine, { parser }: LineContext) {
  if (side.dialect === engine.dialect) return { kind: 'sql', sql: side.sql } as const
  const carried = parser.transpile(side.sql, side.dialect, engine.dialect)
  if (carried.kind === 'sql') return carried
  const message = `it cannot be carried from ${side.dialect} to ${engine.dialect}: ${carried.message}`
  return { kind: 'failed', message } as const
}

function orderOf(expected: Side | undefined, parser: SqlParser): RowOrder {
  if (expected === undefined || !mayOrder(expected.sql)) return unordered
  return queryOrder(parser, expected.sql, expected.dialect)
}

function sideOf(sql: string | undefined, dialect: Dialect): Side | undefined {
  return sql === undefined ? undefined : { sql, dialect }
}

/** What a line's error says: an engine or a schema that is at fault spoils its line, a bug ends the program. */
export function lineError(error: unknown): string {
  if (!(error instanceof AutotestError)) throw error
  return error.hint === undefined ? error.message : `${error.message} (${error.hint})`
}
