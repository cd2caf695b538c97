import { LRUCache } from 'lru-cache'
import type { Agent, Question, Sample } from '../agent/agent.js'
import type { SqlCase } from '../benchmark/case.js'
import type { ExpectedResultsCache } from '../compare/expected-results-cache.js'
import type { CopyComparer } from '../compare/fuzzed-copies.js'
import type { Judge } from '../compare/judge.js'
import type { Score } from '../compare/score.js'
import type { ScoringDefaults } from '../compare/score-sql.js'
import { scoreAgentError, scoreNoAnswer } from '../compare/score-without-sql.js'
import type { Engine, QueryLimits } from '../engine/engine.js'
import type { Dialect } from '../enums/dialect.js'
import { AutotestError } from '../errors.js'
import type { Estimate } from '../llm/llm.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { SqlParser } from '../sql/parser.js'

/** One case asked once and scored. */
export interface Evaluation {
  readonly testCase: SqlCase
  readonly sample: Sample
  readonly score: Score
  /** Agent and scoring together, in milliseconds. */
  readonly ms: number
}

export interface EvaluationContext {
  readonly agent: Agent
  readonly agentDialect: Dialect
  /** What it writes for a case, where a case may be about another database; absent: the same for all. */
  readonly agentDialectOf?: ((testCase: SqlCase) => Dialect) | undefined
  /** The engine of a case, opened on first use; undefined where none is configured. */
  readonly engineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  readonly limits: QueryLimits
  readonly defaults: ScoringDefaults
  /** ISO date for cases that name none. */
  readonly asOf: string
  readonly loadParser: () => Promise<SqlParser>
  readonly expectedResults: ExpectedResultsCache
  /** Absent: no fuzzed copies are asked. */
  readonly copies?: CopyComparer | undefined
  /** Absent: what cannot be shown stays unproven. */
  readonly judge?: Judge | undefined
  /** Milliseconds on a clock that never goes back. */
  readonly clock: () => number
}

export interface Evaluator {
  /**
   * The first answer to the case on a snapshot, scored. Recent ones are kept by snapshot, whatever the agent, and their
   * scores by query text, and an answer equal to `previous` keeps its score: what has not changed is not asked and not
   * run again.
   */
  evaluate(
    testCase: SqlCase,
    snapshot: Snapshot,
    signal?: AbortSignal,
    previous?: Evaluation,
  ): Promise<Evaluation>
  /**
   * Asks and scores without looking at what is kept: for flaky agents and flips.
   *
   * @param number which of the independent answers it is, from 1; absent: the next one that was not asked for yet
   */
  evaluateAfresh(
    testCase: SqlCase,
    snapshot: Snapshot,
    signal?: AbortSignal,
    number?: number,
  ): Promise<Evaluation>
  /** What an agent would get that answered a case with this query. */
  scoreQuery(testCase: SqlCase, sql: string, signal?: AbortSignal): Promise<Score>
  /** The same without a judge: nothing is paid for it. */
  scoreUnjudged(testCase: SqlCase, sql: string, signal?: AbortSignal): Promise<Score>
  /** Tells of independent answers that an earlier run has had: the next one is numbered after them. */
  noteAsked(testCase: SqlCase, snapshot: Snapshot, number: number): void
  /** What asking a case takes of the budget; undefined where nothing is paid, or nobody can say. */
  estimate(testCase: SqlCase, snapshot: Snapshot, number: number): Promise<Estimate | undefined>
  /** The date that relative periods of a case refer to. */
  asOf(testCase: SqlCase): string
  readonly agent: Agent
  readonly agentDialect: Dialect
}

/** What scores queries, loaded with the first of them: no question is to wait for half a megabyte of code. */
export function loadScoring(): Promise<typeof import('../compare/score-sql.js')> {
  return import('../compare/score-sql.js')
}

/** Enough for the cases of a few repairs; a large benchmark must not grow in memory. */
const keptAnswers = 1000

export function createEvaluator(context: EvaluationContext): Evaluator {
  const samples = new LRUCache<string, Sample>({ max: keptAnswers })
  const scores = new LRUCache<string, Score>({ max: keptAnswers })
  const asked = new Map<string, number>()
  const dialectOf = context.agentDialectOf ?? (() => context.agentDialect)
  const asOf = (testCase: SqlCase): string => testCase.asOf ?? context.asOf

  function questionOf(testCase: SqlCase, sample: number): Question {
    return {
      id: testCase.id,
      question: testCase.question,
      dialect: dialectOf(testCase),
      engine: testCase.engine,
      asOf: asOf(testCase),
      sample,
    }
  }

  async function ask(
    testCase: SqlCase,
    snapshot: Snapshot,
    sample: number,
    signal?: AbortSignal,
  ): Promise<Sample> {
    return context.agent.ask(questionOf(testCase, sample), snapshot, signal)
  }

  /** Independent answers on one snapshot are counted from 1; the first one asked, which may be kept, is 0. */
  function nextSampleNumber(testCase: SqlCase, snapshot: Snapshot, number: number | undefined): number {
    const next = number ?? (asked.get(askedKey(testCase, snapshot)) ?? 0) + 1
    noteAsked(testCase, snapshot, next)
    return next
  }

  function noteAsked(testCase: SqlCase, snapshot: Snapshot, number: number): void {
    const key = askedKey(testCase, snapshot)
    asked.set(key, Math.max(asked.get(key) ?? 0, number))
  }

  /** A case may name an engine of its own: that it cannot be opened is an error of this case only. */
  async function engineFor(testCase: SqlCase): Promise<Engine | AutotestError | undefined> {
    try {
      return await context.engineOf(testCase)
    } catch (error) {
      if (error instanceof AutotestError && error.code.startsWith('engine_')) return error
      throw error
    }
  }

  async function scoreSample(testCase: SqlCase, sample: Sample, signal?: AbortSignal): Promise<Score> {
    if (sample.kind === 'error') return scoreAgentError(describeAgentError(sample))
    if (sample.kind === 'no_answer') return scoreNoAnswer(sample.message)
    return scoreQuery(testCase, sample.sql, signal)
  }

  async function scoreQuery(
    testCase: SqlCase,
    sql: string,
    signal?: AbortSignal,
    judge: Judge | null | undefined = context.judge,
  ): Promise<Score> {
    const isJudged = judge !== null || context.judge === undefined
    const key = `${caseKey(testCase)}\0${sql}${isJudged ? '' : '\0unjudged'}`
    const known = scores.get(key)
    if (known !== undefined) return known
    const engine = await engineFor(testCase)
    if (engine instanceof AutotestError)
      return { verdict: 'error', errorCause: 'engine', reason: engine.message }
    const { scoreSql } = await loadScoring()
    const score = await scoreSql({
      testCase,
      sql,
      agentDialect: dialectOf(testCase),
      engine,
      limits: context.limits,
      defaults: context.defaults,
      loadParser: context.loadParser,
      expectedResults: context.expectedResults,
      copies: context.copies,
      judge: judge ?? undefined,
      signal,
    })
    // Infrastructure may be back the next time; a killed query is final.
    if (score.verdict !== 'error') scores.set(key, score)
    return score
  }

  async function evaluateAfresh(
    testCase: SqlCase,
    snapshot: Snapshot,
    signal?: AbortSignal,
    number?: number,
  ): Promise<Evaluation> {
    const started = context.clock()
    const sample = await ask(testCase, snapshot, nextSampleNumber(testCase, snapshot, number), signal)
    const score = await scoreSample(testCase, sample, signal)
    return { testCase, sample, score, ms: context.clock() - started }
  }

  async function evaluate(
    testCase: SqlCase,
    snapshot: Snapshot,
    signal?: AbortSignal,
    previous?: Evaluation,
  ): Promise<Evaluation> {
    const key = `${caseKey(testCase)}\0${snapshot.hash}`
    const started = context.clock()
    const known = samples.get(key)
    const sample = known ?? (await ask(testCase, snapshot, 0, signal))
    if (known === undefined && sample.kind !== 'error') samples.set(key, sample)
    const score = sameAnswer(previous, sample) ? previous.score : await scoreSample(testCase, sample, signal)
    return { testCase, sample, score, ms: context.clock() - started }
  }

  return {
    evaluate,
    evaluateAfresh,
    scoreQuery: (testCase, sql, signal) => scoreQuery(testCase, sql, signal),
    scoreUnjudged: (testCase, sql, signal) => scoreQuery(testCase, sql, signal, null),
    noteAsked,
    // An agent answers what it knows with about the query that is expected.
    estimate: async (testCase, snapshot, number) =>
      context.agent.estimate?.(questionOf(testCase, number), snapshot, testCase.expectedSql.length),
    asOf,
    agent: context.agent,
    agentDialect: context.agentDialect,
  }
}

function askedKey({ id }: SqlCase, { hash }: Snapshot): string {
  return `${id}\0${hash}`
}

/** What broke an agent, with the last line of what it said itself: that is where programs put the reason. */
function describeAgentError({ message, detail }: Extract<Sample, { kind: 'error' }>): string {
  const said = detail?.split('\n').findLast((line) => !/^\s*(at .*)?$/.test(line)) ?? ''
  return said === '' || message.includes(said.replace(/^\s*\w*Error: /, '').trim())
    ? message
    : `${message}: ${said.trim()}`
}

/** Twins share an id with nobody, but question and truth belong to the key all the same. */
function caseKey(testCase: SqlCase): string {
  return `${testCase.id}\0${testCase.question}\0${testCase.expectedSql}`
}

function sameAnswer(previous: Evaluation | undefined, sample: Sample): previous is Evaluation {
  if (previous === undefined || previous.score.verdict === 'error') return false
  return previous.sample.kind === 'sql' && sample.kind === 'sql' && previous.sample.sql === sample.sql
}

/** An evaluation without the findings of a pass, which no repair looks at: ten thousand of them add up. */
export function withoutPassFindings(evaluation: Evaluation): Evaluation {
  const { verdict, by, reason } = evaluation.score
  return verdict === 'pass' ? { ...evaluation, score: { verdict, by, reason } } : evaluation
}
