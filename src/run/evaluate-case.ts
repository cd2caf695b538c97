import { LRUCache } from 'lru-cache'
import type { Sample } from '../contracts/agent-answer.js'
import type { CaseRunner } from '../contracts/case-runner.js'
import type { DomainTypes } from '../contracts/domain-types.js'
import { isInfrastructureCause } from '../contracts/score.js'
import { AutotestError } from '../errors.js'
import type { Estimate } from '../llm/llm-interface.js'
import type { Snapshot } from '../snapshot/snapshot.js'

/** One case asked once and scored. */
export interface Evaluation<T extends DomainTypes = DomainTypes> {
  readonly testCase: T['case']
  readonly sample: Sample
  readonly score: T['score']
  /** Time of agent and scoring together, in milliseconds. */
  readonly ms: number
}

export interface Evaluator<T extends DomainTypes = DomainTypes> {
  /**
   * Returns the first answer to the case on a snapshot, scored. Recent answers are cached by snapshot,
   * whatever the agent, and their scores by the answer's text, and an answer equal to `previous` keeps its
   * score: what has not changed is neither asked nor scored again.
   */
  evaluate(
    testCase: T['case'],
    snapshot: Snapshot,
    signal?: AbortSignal,
    previous?: Evaluation<T>,
  ): Promise<Evaluation<T>>
  /**
   * Asks and scores without the cache: for flaky agents and changed verdicts.
   *
   * @param number index of the independent answer, from 1; absent: the next one that was not asked for yet
   */
  evaluateAfresh(
    testCase: T['case'],
    snapshot: Snapshot,
    signal?: AbortSignal,
    number?: number,
  ): Promise<Evaluation<T>>
  /** Scores an answer once more, whatever comes of it; the agent is not asked. */
  scoreAgain(evaluation: Evaluation<T>, signal?: AbortSignal): Promise<Evaluation<T>>
  /** Returns the score of an agent that answers a case with this text. Throws `not_verified` if the engine fails. */
  scoreAnswer(testCase: T['case'], text: string, signal?: AbortSignal): Promise<T['score']>
  /** Returns the same without a judge, at no cost. */
  scoreUnjudged(testCase: T['case'], text: string, signal?: AbortSignal): Promise<T['score']>
  /** Records independent answers of an earlier run: the next one is numbered after them. */
  noteAsked(testCase: T['case'], snapshot: Snapshot, number: number): void
  /** Returns the budget that asking a case needs; undefined if it is free or unknown. */
  estimate(testCase: T['case'], snapshot: Snapshot, number: number): Promise<Estimate | undefined>
  readonly agent: CaseRunner<T>['agent']
}

/** Enough for the cases of a few repairs; a large benchmark must not grow in memory. */
const keptAnswers = 1000

/**
 * Creates an evaluator.
 *
 * @param clock milliseconds on a monotonic clock
 */
export function createEvaluator<T extends DomainTypes>(
  runner: CaseRunner<T>,
  clock: () => number,
): Evaluator<T> {
  const samples = new LRUCache<string, Sample>({ max: keptAnswers })
  const scores = new LRUCache<string, T['score']>({ max: keptAnswers })
  const asked = new Map<string, number>()

  /**
   * Returns the number of an answer: independent answers on one snapshot are counted from 1; the first one
   * asked, which may be cached, is 0.
   */
  function numbered(testCase: T['case'], snapshot: Snapshot, number: number | undefined): number {
    const next = number ?? (asked.get(askedKey(testCase, snapshot)) ?? 0) + 1
    noteAsked(testCase, snapshot, next)
    return next
  }

  function noteAsked(testCase: T['case'], snapshot: Snapshot, number: number): void {
    const key = askedKey(testCase, snapshot)
    asked.set(key, Math.max(asked.get(key) ?? 0, number))
  }

  async function score(
    testCase: T['case'],
    sample: Sample,
    isJudged: boolean,
    signal?: AbortSignal,
  ): Promise<T['score']> {
    if (sample.kind !== 'answer') return runner.score(testCase, sample, isJudged, signal)
    const isUnjudged = runner.hasJudge && !isJudged
    const key = `${runner.scoringKey(testCase)}\0${sample.text}${isUnjudged ? '\0unjudged' : ''}`
    const known = scores.get(key)
    if (known !== undefined) return known
    const found = await runner.score(testCase, sample, isJudged, signal)
    // An infrastructure error may be gone the next time; a killed query is final.
    if (found.verdict !== 'error') scores.set(key, found)
    return found
  }

  async function scoreText(
    testCase: T['case'],
    text: string,
    isJudged: boolean,
    signal?: AbortSignal,
  ): Promise<T['score']> {
    const found = await score(testCase, { kind: 'answer', text, read: [], ms: 0 }, isJudged, signal)
    const isBroken = found.verdict === 'error' && isInfrastructureCause(found.errorCause)
    if (!isBroken && found.isLate !== true) return found
    throw new AutotestError('not_verified', `case ${testCase.id}: ${found.reason}`, {
      hint: 'Fix that, then continue with --resume.',
    })
  }

  return {
    async evaluate(testCase, snapshot, signal, previous) {
      const key = `${runner.scoringKey(testCase)}\0${snapshot.hash}`
      const started = clock()
      const known = samples.get(key)
      const sample = known ?? (await runner.ask(testCase, snapshot, 0, signal))
      if (known === undefined && sample.kind !== 'error') samples.set(key, sample)
      const found = isSameAnswer(previous, sample)
        ? previous.score
        : await score(testCase, sample, true, signal)
      return { testCase, sample, score: found, ms: clock() - started }
    },
    async evaluateAfresh(testCase, snapshot, signal, number) {
      const started = clock()
      const sample = await runner.ask(testCase, snapshot, numbered(testCase, snapshot, number), signal)
      const found = await score(testCase, sample, true, signal)
      return { testCase, sample, score: found, ms: clock() - started }
    },
    async scoreAgain(evaluation, signal) {
      const { testCase, sample } = evaluation
      return { ...evaluation, score: await score(testCase, sample, true, signal) }
    },
    scoreAnswer: (testCase, text, signal) => scoreText(testCase, text, true, signal),
    scoreUnjudged: (testCase, text, signal) => scoreText(testCase, text, false, signal),
    noteAsked,
    estimate: async (testCase, snapshot, number) => runner.estimate?.(testCase, snapshot, number),
    agent: runner.agent,
  }
}

function askedKey({ id }: DomainTypes['case'], { hash }: Snapshot): string {
  return `${id}\0${hash}`
}

function isSameAnswer<T extends DomainTypes>(
  previous: Evaluation<T> | undefined,
  sample: Sample,
): previous is Evaluation<T> {
  if (previous === undefined || previous.score.verdict === 'error') return false
  return previous.sample.kind === 'answer' && sample.kind === 'answer' && previous.sample.text === sample.text
}

/**
 * Returns an evaluation without the findings of a pass, which no repair uses: ten thousand of them take much
 * memory.
 */
export function withoutPassFindings<T extends DomainTypes>(evaluation: Evaluation<T>): Evaluation<T> {
  const { verdict, by, reason } = evaluation.score
  return verdict === 'pass' ? { ...evaluation, score: { verdict, by, reason } } : evaluation
}
