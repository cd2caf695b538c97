import { type CopyComparer, createCopyComparer } from '../../compare/copies/compare-on-copies.js'
import { engineSchema } from '../../compare/engine-schema.js'
import type { SqlScore } from '../../compare/model/sql-score.js'
import { createExpectedResultsCache } from '../../compare/outcomes/expected-results-cache.js'
import { type QueryDialects, queryDialects } from '../../compare/query-dialects.js'
import { scoreSql } from '../../compare/score-sql.js'
import type { Config } from '../../config/config.js'
import type { Engine } from '../../engine/contract/engine.js'
import { type CanonicalForms, canonicalForms, loadSqlParser } from '../../sql/index.js'
import type { EnginePool } from '../engine-pool.js'
import { queryLimitsOf } from '../engine-registry.js'
import { type ExitCode, exitCodeOfError } from '../exit-code.js'
import type { ComparisonRequest } from './comparison-request.js'

export interface PairFinding {
  readonly score: SqlScore
  /** URL of the database on which both queries ran. */
  readonly engine: string | undefined
  /** Present if they were requested. */
  readonly forms: CanonicalForms | undefined
  readonly exitCode: ExitCode
}

/**
 * Scores one pair as a run would.
 *
 * @param explain whether the canonical forms are requested
 */
export function comparePair(
  request: ComparisonRequest,
  config: Config,
  engines: EnginePool,
  explain: boolean,
): Promise<PairFinding> {
  const compareOn = async (engine: Engine | undefined): Promise<PairFinding> => {
    const score = await scoreOf(request, engine, copiesFor(config, engines), config)
    const forms = explain ? await canonicalFormsOf(request, engine) : undefined
    return { score, engine: engine?.url, forms, exitCode: exitCodeOfScore(score) }
  }
  return request.engine === undefined ? compareOn(undefined) : engines.use(request.engine, compareOn)
}

/** Returns the exit code; a database that fails during a query counts like one that cannot be opened. */
function exitCodeOfScore({ verdict, errorCause }: SqlScore): ExitCode {
  if (errorCause === 'engine' || errorCause === 'engine_busy') return exitCodeOfError('engine_unavailable')
  return verdict === 'pass' ? 0 : 1
}

async function scoreOf(
  request: ComparisonRequest,
  engine: Engine | undefined,
  copies: CopyComparer,
  config: Config,
): Promise<SqlScore> {
  return scoreSql({
    testCase: request.testCase,
    sql: request.generatedSql,
    agentDialect: dialectsOf(request, engine).generated,
    engine,
    limits: queryLimitsOf(config),
    defaults: config.scoring,
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    copies,
  })
}

/** Returns the canonical forms as they were compared: with the schema of the database if there is one. */
async function canonicalFormsOf(
  request: ComparisonRequest,
  engine: Engine | undefined,
): Promise<CanonicalForms> {
  const { expected, generated } = dialectsOf(request, engine)
  return canonicalForms(
    await loadSqlParser(),
    { sql: request.testCase.expectedSql, dialect: expected },
    { sql: request.generatedSql, dialect: generated },
    { schema: engine && (await engineSchema(engine)) },
  )
}

function dialectsOf(request: ComparisonRequest, engine: Engine | undefined): QueryDialects {
  const { testCase, generatedDialect: generated } = request
  return queryDialects({ expected: testCase.dialect, generated, engine: engine?.dialect })
}

/** Returns a comparer on copies of the pair's own database, else of the configured fixture. */
export function copiesFor(config: Config, engines: EnginePool): CopyComparer {
  const { fuzz, seed, fuzzSource } = config.scoring
  const source = async () => (fuzzSource === undefined ? undefined : engines.open(fuzzSource))
  const samples = {
    root: config.root,
    memoryBytes: config.limits.memoryBytes,
    useEngine: engines.use,
  }
  return createCopyComparer({ count: fuzz, seed, source, samples, loadParser: loadSqlParser })
}
