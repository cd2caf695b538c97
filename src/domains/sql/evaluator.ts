import type { Agent, Question } from '../../agent/agent.js'
import type { SqlCase } from '../../benchmark/case.js'
import type { CopyComparer } from '../../compare/copies/compare-on-copies.js'
import type { Judge } from '../../compare/judge/judge.js'
import type { SqlScore } from '../../compare/model/sql-score.js'
import type { ExpectedResultsCache } from '../../compare/outcomes/expected-results-cache.js'
import type { ScoreSqlInput, ScoringDefaults } from '../../compare/score-sql.js'
import type { EntriesRead, Sample } from '../../contracts/agent-answer.js'
import type { CaseRunner } from '../../contracts/case-runner.js'
import {
  engineErrorCause,
  scoreAgentError,
  scoreNoAnswer,
  scoreNotEvaluated,
  scoreUnreadable,
} from '../../contracts/score.js'
import type { Engine, QueryLimits } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import type { KnowledgeEntry } from '../../kb/entries/entry-format.js'
import { withoutEntries } from '../../kb/parse.js'
import { createEvaluator, type Evaluator } from '../../run/evaluate-case.js'
import { type Snapshot, withFiles } from '../../snapshot/snapshot.js'
import type { SqlParser } from '../../sql/index.js'
import type { SqlTypes } from './sql-domain-types.js'

export interface SqlEvaluationContext {
  readonly agent: Agent
  readonly agentDialect: Dialect
  /**
   * Dialect that the agent writes for a case, which may use another database; absent: the same for all cases.
   */
  readonly agentDialectOf?: ((testCase: SqlCase) => Dialect) | undefined
  /** Returns the engine of a case, opened on first use; undefined if none is configured. */
  readonly engineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  readonly limits: QueryLimits
  readonly defaults: ScoringDefaults
  /** ISO date for cases that specify none. */
  readonly asOf: string
  readonly loadParser: () => Promise<SqlParser>
  readonly expectedResults: ExpectedResultsCache
  /** Knowledge that is not on disk; absent if all of it is. */
  readonly missing?: MissingKnowledge | undefined
  /** Whether the agent answers in this process, from the snapshot alone. */
  readonly isOffline?: boolean | undefined
  /** Absent: answers are not compared on fuzzed copies. */
  readonly copies?: CopyComparer | undefined
  /** Absent: what cannot be proved stays unproven. */
  readonly judge?: Judge | undefined
  /** Returns where an answer's question stands beside a query in what was read; absent: it is not examined. */
  readonly ownExampleOf?:
    | ((question: string, read: EntriesRead, snapshot: Snapshot) => string | undefined)
    | undefined
  /** Returns the entries that give the answer to a case away: they are hidden while it is asked. Absent: there are no entries. */
  readonly ownEntriesOf?:
    | ((testCase: SqlCase, snapshot: Snapshot) => Promise<readonly KnowledgeEntry[]>)
    | undefined
  /** Milliseconds on a monotonic clock. */
  readonly clock: () => number
}

/** Knowledge that belongs to the project and is not on disk. */
export interface MissingKnowledge {
  /** What is missing, and the command that brings it. */
  readonly description: string
  /** The files as git has them; undefined where not all of them can be read. */
  readonly files: ReadonlyMap<string, Uint8Array> | undefined
}

export interface SqlEvaluator extends Evaluator<SqlTypes> {
  readonly agentDialect: Dialect
  /** Returns the ISO date that relative periods of a case refer to. */
  asOf(testCase: SqlCase): string
  /** Reports whether a query gives the rows that a case expects on the data itself; copies are not asked. Throws what the engine throws. */
  givesRows(testCase: SqlCase, sql: string, signal?: AbortSignal): Promise<boolean>
  /** Returns the query that autotest's own agent makes of the entries for a case; undefined for another agent, or if it has none. */
  answerFromEntries(
    testCase: SqlCase,
    snapshot: Snapshot,
  ): Promise<{ readonly sql: string; readonly read: EntriesRead } | undefined>
}

/**
 * Loads the code that scores queries; called at startup, so that no question waits for half a megabyte of
 * code.
 */
export function loadScoring(): Promise<typeof import('../../compare/score-sql.js')> {
  return import('../../compare/score-sql.js')
}

/** Asks an agent for SQL and scores its queries against the expected ones. */
export function createSqlEvaluator(context: SqlEvaluationContext): SqlEvaluator {
  const runner = createSqlRunner(context)
  return {
    ...createEvaluator(runner, context.clock),
    agentDialect: context.agentDialect,
    asOf: (testCase) => testCase.asOf ?? context.asOf,
    async answerFromEntries(testCase, snapshot) {
      if (context.agent.isOwn !== true) return undefined
      const sample = await runner.ask(testCase, snapshot, 0)
      return sample.kind === 'answer' ? { sql: sample.text, read: sample.read } : undefined
    },
    async givesRows(testCase, sql, signal) {
      const engine = await engineFor(testCase, context)
      if (engine instanceof AutotestError) throw engine
      const { givesExpectedRows } = await loadScoring()
      return givesExpectedRows({ ...scoringInput(testCase, sql, engine, context), signal })
    },
  }
}

/** What a query of an agent is scored with. */
function scoringInput(
  testCase: SqlCase,
  sql: string,
  engine: Engine | undefined,
  context: SqlEvaluationContext,
): ScoreSqlInput {
  const { limits, defaults, loadParser, expectedResults, copies } = context
  const agentDialect = context.agentDialectOf?.(testCase) ?? context.agentDialect
  return { testCase, sql, agentDialect, engine, limits, defaults, loadParser, expectedResults, copies }
}

function createSqlRunner(context: SqlEvaluationContext): CaseRunner<SqlTypes> {
  const { agent, missing } = context
  // It may be asked twice.
  const isFree = context.isOffline === true
  const dialectOf = context.agentDialectOf ?? (() => context.agentDialect)

  function questionOf(testCase: SqlCase, sample: number): Question {
    return {
      id: testCase.id,
      question: testCase.question,
      dialect: dialectOf(testCase),
      engine: testCase.engine,
      asOf: testCase.asOf ?? context.asOf,
      sample,
    }
  }

  async function scoreQuery(
    testCase: SqlCase,
    sql: string,
    judge: Judge | undefined,
    signal?: AbortSignal,
  ): Promise<SqlScore> {
    const engine = await engineFor(testCase, context)
    if (engine instanceof AutotestError)
      return { verdict: 'error', errorCause: engineErrorCause(engine), reason: engine.message }
    const { scoreSql } = await loadScoring()
    return scoreSql({ ...scoringInput(testCase, sql, engine, context), judge, signal })
  }

  /**
   * Asks the agent; where knowledge is missing that may be asked for at no cost, a question that gets another answer
   * with it has none.
   */
  async function ask(
    testCase: SqlCase,
    snapshot: Snapshot,
    number: number,
    signal?: AbortSignal,
  ): Promise<Sample> {
    if (testCase.notEvaluated !== undefined) return unasked(testCase.notEvaluated)
    const own = (await context.ownEntriesOf?.(testCase, snapshot)) ?? []
    const question = { ...questionOf(testCase, number), ...(agent.isOwn === true ? { own } : {}) }
    if (agent.isOwn !== true && own.length > 0)
      return agent.ask(question, withoutEntries(snapshot, own), signal)
    const sample = await agent.ask(question, snapshot, signal)
    if (missing?.files === undefined || !isFree) return sample
    const absent = [...missing.files].filter(([path]) => !snapshot.files.has(path))
    const whole = await agent.ask(question, withFiles(snapshot, new Map(absent)), signal)
    return isSameAnswer(sample, whole) ? sample : unasked(missing.description)
  }

  async function scoreSample(
    testCase: SqlCase,
    sample: Sample,
    isJudged: boolean,
    signal?: AbortSignal,
  ): Promise<SqlScore> {
    if (sample.kind === 'error') return scoreAgentError(errorWords(sample))
    if (sample.kind === 'unreadable') return scoreUnreadable(sample.message)
    if (sample.kind === 'no_answer')
      return sample.notEvaluated === true ? scoreNotEvaluated(sample.message) : scoreNoAnswer(sample.message)
    return scoreQuery(testCase, sample.text, isJudged ? context.judge : undefined, signal)
  }

  return {
    agent,
    hasJudge: context.judge !== undefined,
    async ask(testCase, snapshot, number, signal) {
      const sample = await ask(testCase, snapshot, number, signal)
      if (sample.kind !== 'answer' || sample.ownExample !== undefined) return sample
      const ownExample = context.ownExampleOf?.(testCase.question, sample.read, snapshot)
      return ownExample === undefined ? sample : { ...sample, ownExample }
    },
    async score(testCase, sample, isJudged, signal) {
      const score = await scoreSample(testCase, sample, isJudged, signal)
      // What the agent would answer with all of its knowledge is not known.
      const isConclusive = score.verdict !== 'fail' && score.verdict !== 'unproven'
      if (missing === undefined || isConclusive || (isFree && missing.files !== undefined)) return score
      return scoreNotEvaluated(missing.description)
    },
    // A twin has the id of no other case, but a score depends on question and expected query as well.
    scoringKey: ({ id, question, expectedSql }) => `${id}\0${question}\0${expectedSql}`,
    // An agent that knows the answer returns about as many tokens as the expected query has.
    estimate: async (testCase, snapshot, number) =>
      agent.estimate?.(questionOf(testCase, number), snapshot, testCase.expectedSql.length),
  }
}
/** Returns the sample of a case that cannot be evaluated. */
function unasked(message: string): Sample {
  return { kind: 'no_answer', message, read: [], ms: 0, notEvaluated: true }
}

function isSameAnswer(one: Sample, other: Sample): boolean {
  const textOf = (sample: Sample): string => (sample.kind === 'answer' ? sample.text : sample.message)
  return one.kind === other.kind && textOf(one) === textOf(other)
}

/**
 * Opens the engine of a case, which may specify its own: if that cannot be opened, it is an error of this
 * case only.
 */
async function engineFor(
  testCase: SqlCase,
  { engineOf }: SqlEvaluationContext,
): Promise<Engine | AutotestError | undefined> {
  try {
    return await engineOf(testCase)
  } catch (error) {
    if (error instanceof AutotestError && error.code.startsWith('engine_')) return error
    throw error
  }
}

/**
 * Describes why an agent failed, with the last line of its own output: that is where programs put the reason.
 */
function errorWords({ message, detail }: Extract<Sample, { kind: 'error' }>): string {
  const said = detail?.split('\n').findLast((line) => !/^\s*(at .*)?$/.test(line)) ?? ''
  return said === '' || message.includes(said.replace(/^\s*\w*Error: /, '').trim())
    ? message
    : `${message}: ${said.trim()}`
}
