import type { SqlCase } from '../benchmark/case.js'
import { engineErrorCause } from '../contracts/score.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import type { Dialect } from '../enums/dialect.js'
import type { RowPrivacy } from '../enums/row-privacy.js'
import type { Policy } from '../enums/verdict-policy.js'
import { AutotestError } from '../errors.js'
import {
  compareQueryPair,
  type DialectQuery,
  isSameSqlText,
  type SqlParser,
  type StructuralComparison,
  translateSql,
} from '../sql/index.js'
import type { CopyComparer } from './copies/compare-on-copies.js'
import { engineSchema, withMissingTables } from './engine-schema.js'
import { applyJudgement, type Judge, needsJudge } from './judge/judge.js'
import type { ResultFinding, SqlScore } from './model/sql-score.js'
import { mayHaveOrderBy, queryOrder, unordered } from './order/query-order.js'
import { throwingAtDeadline } from './outcomes/deadline-errors.js'
import type { ExpectedResultsCache } from './outcomes/expected-results-cache.js'
import type { RowOrder } from './outcomes/query-outcomes.js'
import { runAndCompare } from './outcomes/run-and-compare.js'
import { queryDialects } from './query-dialects.js'
import { withPrivateRows } from './results/private-rows.js'
import { type EngineRun, type PairScore, scorePair } from './score-pair.js'
import { verdictReason } from './verdict/verdict-reason.js'

/** Settings for what a case does not specify. */
export interface ScoringDefaults {
  readonly policy: Policy
  readonly tolerance: number
  /** What is kept of rows that differ; absent: everything. */
  readonly shownRows?: RowPrivacy | undefined
}

export interface ScoreSqlInput {
  readonly testCase: SqlCase
  /** The agent's query. */
  readonly sql: string
  readonly agentDialect: Dialect
  /** Undefined if none is configured: structure alone decides. */
  readonly engine: Engine | undefined
  readonly limits: QueryLimits
  readonly defaults: ScoringDefaults
  /** Called only if a parser is needed: equal texts need none. */
  readonly loadParser: () => Promise<SqlParser>
  readonly expectedResults: ExpectedResultsCache
  /** Absent: no fuzzed copies are used. */
  readonly copies?: CopyComparer | undefined
  /** Absent: what cannot be proved stays unproven. */
  readonly judge?: Judge | undefined
  /** Cancels waiting for a judge. */
  readonly signal?: AbortSignal | undefined
}

/** Both queries in the dialect in which they are run, and as written, in which form they are compared. */
interface QueryPair {
  readonly kind: 'pair'
  readonly expected: string
  readonly generated: string
  readonly dialect: Dialect
  /** Whether the texts differ at most in layout. */
  readonly same: boolean
  readonly written: { readonly expected: DialectQuery; readonly generated: DialectQuery }
}

/**
 * Scores one query of the agent against the case. A wrong, hostile or invalid query is a score, never an
 * exception.
 */
export async function scoreSql(given: ScoreSqlInput): Promise<SqlScore> {
  const input = { ...given, engine: given.engine && throwingAtDeadline(given.engine) }
  const pair = await translatePair(input)
  if (pair.kind === 'failed') return { verdict: 'error', errorCause: 'transpile', reason: pair.reason }
  try {
    const score = withoutPrivateRows(await scoreWhole(input, pair), input.defaults.shownRows ?? 'full')
    const isLate =
      score.verdict === 'fail' && score.results?.kind === 'generated_failed' && score.results.isLate
    return isLate ? { ...score, isLate } : score
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    if (error.code === 'judge_unavailable')
      return { verdict: 'error', errorCause: 'judge', reason: `judge: ${error.message}` }
    if (!error.code.startsWith('engine_') && error.code !== 'query_timeout') throw error
    return { verdict: 'error', errorCause: engineErrorCause(error), reason: error.message }
  }
}

/** Reports whether a query gives the expected rows on the data itself; without an engine, whether it has the expected structure. */
export async function givesExpectedRows(given: ScoreSqlInput): Promise<boolean> {
  const input = { ...given, engine: given.engine && throwingAtDeadline(given.engine) }
  const pair = await translatePair(input)
  if (pair.kind === 'failed') return false
  if (input.engine === undefined) return (await structureOf(input, pair)).kind === 'equal'
  const { kind } = await runAndCompare(await runInput(input, input.engine, pair))
  return kind === 'match'
}

/** Whatever stores, reports or asks a model about a score sees no more of the rows than this. */
function withoutPrivateRows(score: SqlScore, privacy: RowPrivacy): SqlScore {
  const { results } = score
  if (privacy === 'full' || (results?.kind !== 'mismatch' && results?.kind !== 'match')) return score
  return { ...score, results: { ...results, comparison: withPrivateRows(results.comparison, privacy) } }
}

async function translatePair(
  input: ScoreSqlInput,
): Promise<QueryPair | { readonly kind: 'failed'; readonly reason: string }> {
  const { testCase, sql, agentDialect, engine } = input
  const own = { expected: testCase.dialect, generated: agentDialect, engine: engine?.dialect }
  const { expected: from } = queryDialects(own)
  const dialect = engine?.dialect ?? from
  const carry = (text: string, source: Dialect) =>
    translateSql(text, source, engine === undefined ? source : dialect)
  const expected = await carry(testCase.expectedSql, from)
  if (expected.kind === 'failed') {
    const { file, line } = testCase.sqlLocation
    return {
      kind: 'failed',
      reason: `expected_sql cannot be transpiled from ${from} to ${dialect}: ${expected.message} (${file}:${line})`,
    }
  }
  const generated = await carry(sql, agentDialect)
  if (generated.kind === 'failed') {
    return {
      kind: 'failed',
      reason: `the agent's SQL cannot be transpiled from ${agentDialect} to ${dialect}: ${generated.message}`,
    }
  }
  return {
    kind: 'pair',
    expected: expected.sql,
    generated: generated.sql,
    dialect,
    same: isSameSqlText(expected.sql, generated.sql) && (engine !== undefined || from === agentDialect),
    written: {
      expected: { sql: testCase.expectedSql, dialect: from },
      generated: { sql, dialect: agentDialect },
    },
  }
}

async function scoreWhole(input: ScoreSqlInput, pair: QueryPair): Promise<SqlScore> {
  const policy = input.testCase.compare.policy ?? input.defaults.policy
  const { engine, copies } = input
  const found = await scorePair({
    policy,
    run: engine === undefined ? undefined : await runInput(input, engine, pair),
    structure: () => structureOf(input, pair),
    copies,
  })
  const { structure, again } = found
  const { decision, results } = await applyJudge(input, pair, found, policy)
  return {
    verdict: decision.verdict,
    by: decision.by,
    errorCause: decision.errorCause,
    reason:
      again === undefined
        ? verdictReason(decision, structure, results, input.testCase)
        : nondeterministicReason(again),
    structure,
    results,
  }
}

/** Asks the judge, if one is configured and no check decides. */
async function applyJudge(
  { testCase, engine, judge, signal }: ScoreSqlInput,
  { expected, generated, dialect }: QueryPair,
  { decision, structure, results }: PairScore,
  policy: Policy,
): Promise<Pick<PairScore, 'decision' | 'results'>> {
  if (judge === undefined || engine === undefined || !needsJudge(decision, results, policy))
    return { decision, results }
  const differences = verdictReason({ verdict: 'fail' }, structure, results, testCase)
  const finding = await judge.decide({ testCase, expected, generated, dialect, engine, differences, signal })
  return {
    decision: applyJudgement(decision, finding),
    results: results.kind === 'match' ? { ...results, judge: finding } : results,
  }
}

function nondeterministicReason(again: ResultFinding): string {
  return again.kind === 'match'
    ? 'equal structure, but rows differ from run to run: the query is not deterministic'
    : 'equal structure, but results differed twice: the query is not deterministic, or the comparator has a bug'
}

/**
 * Compares structures; the schema is read from the database only if the queries alone do not prove that they
 * are equal.
 */
async function structureOf(input: ScoreSqlInput, pair: QueryPair): Promise<StructuralComparison> {
  const { expected, generated } = pair.written
  if (expected.dialect === generated.dialect && isSameSqlText(expected.sql, generated.sql))
    return { kind: 'equal' }
  const parser = await input.loadParser()
  if (input.engine === undefined)
    return compareQueryPair(parser, expected, generated, { conventionalNames: true, dialectDefaults: true })
  const found = compareQueryPair(parser, expected, generated, { onlyEqual: true })
  if (found.kind === 'equal' || found.kind === 'unparsable') return found
  const schema = await engineSchema(input.engine)
  return compareQueryPair(parser, expected, generated, { schema })
}

async function runInput(input: ScoreSqlInput, engine: Engine, pair: QueryPair): Promise<EngineRun> {
  const { testCase, limits, defaults, expectedResults } = input
  return {
    engine,
    limits,
    expectedSql: pair.expected,
    generatedSql: pair.generated,
    same: pair.same,
    order: await rowOrder(input, pair),
    tolerance: testCase.compare.tolerance ?? defaults.tolerance,
    columns: testCase.compare.columns,
    expectedOutcome: async () =>
      withMissingTables(engine, await expectedResults.outcome(engine, pair.expected, limits)),
  }
}

/**
 * Determines the row order: it counts if the expected query orders its outermost select, or the case requires
 * it.
 */
async function rowOrder(input: ScoreSqlInput, pair: QueryPair): Promise<RowOrder> {
  const asked = input.testCase.compare.order ?? 'auto'
  const ordered: RowOrder = { order: 'ordered', columnsIn: () => undefined }
  if (pair.same || asked === 'unordered') return unordered
  if (!mayHaveOrderBy(pair.expected)) return asked === 'ordered' ? ordered : unordered
  const found = queryOrder(await input.loadParser(), pair.expected, pair.dialect)
  return asked === 'ordered' && found.order === 'unordered' ? ordered : found
}
