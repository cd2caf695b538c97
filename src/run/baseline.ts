import type { DomainTypes } from '../contracts/domain-types.js'
import type { Verdict } from '../contracts/score.js'
import { AutotestError } from '../errors.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { type AggregatedAnswer, aggregateAnswers, aggregateRetries } from './answer-aggregation.js'
import { createErrorStreak } from './error-streak.js'
import { type Evaluation, type Evaluator, withoutPassFindings } from './evaluate-case.js'
import { forEachConcurrent } from './for-each-concurrent.js'

/** A case after the baseline: evaluated, and asked again if its agent may answer differently. */
export interface BaselineCase<T extends DomainTypes = DomainTypes> extends AggregatedAnswer<T> {
  readonly position: number
  /** Verdicts in the order asked, for a case that was asked repeatedly. */
  readonly answers?: readonly Verdict[] | undefined
}

/** The results of an interrupted run for a case. */
export interface KnownCase<T extends DomainTypes = DomainTypes> {
  /** By number, from 0; from `times` on, those to a failure that was asked again. */
  readonly answers: ReadonlyMap<number, Evaluation<T>>
  /** Found flaky, or stable; undefined: to be determined from its answers, and missing ones are asked for. */
  readonly flaky?: boolean | undefined
}

export interface BaselineInput<T extends DomainTypes = DomainTypes> {
  readonly cases: readonly T['case'][]
  readonly snapshot: Snapshot
  readonly evaluator: Evaluator<T>
  readonly concurrency: number
  /** How often each case is asked, from 1; a deterministic agent is asked once. */
  readonly times: number
  /** Minimal number of times that a failing case of a nondeterministic agent is asked again. */
  readonly repeats: number
  /**
   * Whether to repeat only after every case was asked: a budget that ends early then covers as many cases as
   * possible.
   */
  readonly repeatsLast?: boolean | undefined
  /** Results of an interrupted run are not asked again. */
  readonly known: ReadonlyMap<string, KnownCase<T>>
  readonly signal: AbortSignal
  /** Once it aborts, nothing more is asked and calls in progress are dropped: earlier answers count. */
  readonly deadline?: AbortSignal | undefined
  /** Whether passing cases are returned, too: a repair has to protect them. */
  readonly keepPassing: boolean
  readonly onCase: (result: BaselineCase<T>) => void
  /** Called with each new answer and its number, from 0. */
  readonly onAnswer?: ((evaluation: Evaluation<T>, number: number) => void) | undefined
  /**
   * Called if the budget did not suffice: the remaining cases are missing, and failures were not asked again.
   */
  readonly onExhausted?: ((error: AutotestError) => void) | undefined
  /** Called if others kept the engine busy for so many answers, which are scored once more when everything was asked. */
  readonly onBusy?: ((answers: number) => void) | undefined
  /** Called if the same error of agent or engine occurred too often in a row: the remaining cases are missing. */
  readonly onGivenUp?: ((reason: string) => void) | undefined
}

/** Returns how often each case is actually asked. */
export function effectiveRepeatCount({ agent }: Pick<Evaluator, 'agent'>, times: number): number {
  return agent.deterministic || agent.dependent !== undefined ? 1 : times
}

/**
 * Asks every case `times` times, round by round in their order; failures again up to `repeats` times. Cases
 * that were not asked because of the abort signal are missing.
 */
export async function runBaseline<T extends DomainTypes>(
  input: BaselineInput<T>,
): Promise<Map<string, BaselineCase<T>>> {
  const { evaluator, snapshot, signal, concurrency, deadline } = input
  const stop = deadline === undefined ? signal : AbortSignal.any([signal, deadline])
  const times = effectiveRepeatCount(evaluator, input.times)
  const results = new Map<string, BaselineCase<T>>()
  const answers = keptAnswers(input)
  const left = input.cases.map(() => times)
  for (const testCase of input.cases) {
    const numbers = [...(input.known.get(testCase.id)?.answers.keys() ?? [])]
    if (numbers.length > 0) evaluator.noteAsked(testCase, snapshot, Math.max(...numbers))
  }
  const unsure: { readonly found: AggregatedAnswer<T>; readonly position: number }[] = []
  let exhausted: AutotestError | undefined
  let givenUp: string | undefined
  let streak = createErrorStreak()
  let isBusyForLong = false
  let isLastTry = false
  /** Returns the answer; undefined if budget, time or too many errors do not allow it. */
  const allowed = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
    if (exhausted !== undefined || givenUp !== undefined || stop.aborted) return undefined
    try {
      const answer = await ask()
      return stop.aborted ? undefined : answer
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code !== 'budget_exhausted') throw error
      exhausted = error
      return undefined
    }
  }
  const finish = ({ evaluation, flaky, unconfirmed }: AggregatedAnswer<T>, position: number): void => {
    // An answer of an aborted agent or engine is no evidence about the case.
    if (signal.aborted) return
    const verdicts =
      times === 1 ? undefined : inOrder(answers.of(position), times).map(({ score }) => score.verdict)
    answers.drop(position)
    const result = { evaluation, position, flaky, unconfirmed, answers: verdicts }
    input.onCase(result)
    if (input.keepPassing || evaluation.score.verdict !== 'pass')
      results.set(evaluation.testCase.id, { ...result, evaluation: withoutPassFindings(evaluation) })
  }
  const again = async (found: AggregatedAnswer<T>, position: number): Promise<void> => {
    const known = answers.of(position)
    const { testCase } = found.evaluation
    for (let number = times; number <= input.repeats && !differs(found, known); number++) {
      if (known.has(number)) continue
      const evaluation = await allowed(() => ask(testCase, number))
      // It is unknown whether the case is stable; a resumed run asks again.
      if (evaluation === undefined) break
      known.set(number, evaluation)
      input.onAnswer?.(evaluation, number)
    }
    finish(
      aggregateRetries(
        found,
        [...known].filter(([number]) => number >= times).map(([, answer]) => answer),
      ),
      position,
    )
  }
  const conclude = async (testCase: T['case'], position: number): Promise<void> => {
    const [first, ...others] = inOrder(answers.of(position), times)
    if (first === undefined) return
    const found = aggregateAnswers([first, ...others])
    const { flaky } = input.known.get(testCase.id) ?? {}
    const stable = found.flaky || found.evaluation.score.verdict !== 'fail' || times > input.repeats
    if (flaky !== undefined || stable || evaluator.agent.deterministic)
      finish({ ...found, flaky: flaky ?? found.flaky }, position)
    else if (input.repeatsLast === true) unsure.push({ found, position })
    else await again(found, position)
  }
  const rounds = Array.from({ length: times }, (_, number) =>
    input.cases.map((testCase, position): Asked<T> => ({ testCase, position, number })),
  )
  const settle = async ({ testCase, position, number }: Asked<T>, evaluation?: Evaluation<T>) => {
    if (evaluation !== undefined) {
      answers.of(position).set(number, evaluation)
      input.onAnswer?.(evaluation, number)
    }
    left[position] = (left[position] ?? 0) - 1
    if (left[position] === 0) await conclude(testCase, position)
  }
  const postponed: Asked<T>[] = []
  await forEachConcurrent(rounds.flat(), concurrency, signal, async (asked) => {
    const { testCase, position, number } = asked
    const known = answers.of(position)
    if (known.has(number) || isOracleBroken(known.get(0))) return settle(asked)
    // A server that was busy so often in a row is left alone for now.
    if (isBusyForLong) return void postponed.push(asked)
    const evaluation = await allowed(() => ask(testCase, number))
    if (evaluation?.score.errorCause === 'engine_busy') postponed.push({ ...asked, evaluation })
    else await settle(asked, evaluation)
  })
  if (postponed.length > 0 && !stop.aborted) input.onBusy?.(postponed.length)
  isLastTry = true
  streak = createErrorStreak()
  await forEachConcurrent(postponed, concurrency, signal, async ({ evaluation, ...asked }) => {
    const again =
      evaluation === undefined
        ? await allowed(() => ask(asked.testCase, asked.number))
        : await allowed(() => scoreAgain(evaluation))
    await settle(asked, again ?? evaluation)
  })
  await forEachConcurrent(unsure, concurrency, signal, ({ found, position }) => again(found, position))
  if (exhausted !== undefined) {
    if (input.onExhausted === undefined) throw exhausted
    input.onExhausted(exhausted)
  }
  if (givenUp !== undefined) input.onGivenUp?.(givenUp)
  return new Map([...results].sort(([, a], [, b]) => a.position - b.position))

  async function ask(testCase: T['case'], number: number): Promise<Evaluation<T>> {
    const evaluation =
      number === 0
        ? await evaluator.evaluate(testCase, snapshot, stop)
        : await evaluator.evaluateAfresh(testCase, snapshot, stop, number)
    note(evaluation)
    return evaluation
  }

  async function scoreAgain(evaluation: Evaluation<T>): Promise<Evaluation<T>> {
    const again = await evaluator.scoreAgain(evaluation, stop)
    note(again)
    return again
  }

  function note(evaluation: Evaluation<T>): void {
    const repeated = streak(evaluation)
    if (stop.aborted || repeated === undefined) return
    if (evaluation.score.errorCause === 'engine_busy' && !isLastTry) isBusyForLong = true
    else givenUp ??= repeated
  }
}

/** One answer to be asked for. */
interface Asked<T extends DomainTypes> {
  readonly testCase: T['case']
  readonly position: number
  /** From 0. */
  readonly number: number
  /** What it got while the engine was busy. */
  readonly evaluation?: Evaluation<T>
}

/**
 * Keeps answers of the cases that are being asked, by number: those of a whole long benchmark would fill the
 * memory.
 */
function keptAnswers<T extends DomainTypes>({ cases, known }: BaselineInput<T>) {
  const kept = new Map<number, Map<number, Evaluation<T>>>()
  return {
    /** Returns the answers of the case at a position, including those of an interrupted run. */
    of(position: number): Map<number, Evaluation<T>> {
      const answers = kept.get(position) ?? new Map(known.get(cases[position]?.id ?? '')?.answers)
      kept.set(position, answers)
      return answers
    },
    drop(position: number): void {
      kept.delete(position)
    },
  }
}

/** Returns the answers that every case is asked for, without those to a failure that was asked again. */
function inOrder<T extends DomainTypes>(
  answers: ReadonlyMap<number, Evaluation<T>>,
  times: number,
): Evaluation<T>[] {
  return [...answers]
    .filter(([number]) => number < times)
    .sort(([a], [b]) => a - b)
    .map(([, evaluation]) => evaluation)
}

function differs({ evaluation }: AggregatedAnswer, answers: ReadonlyMap<number, Evaluation>): boolean {
  return [...answers.values()].some(
    ({ score }) => score.verdict !== 'error' && score.verdict !== evaluation.score.verdict,
  )
}

/** Reports whether the expected answer is faulty: then no answer can be right, and each would have a cost. */
function isOracleBroken(first: Evaluation | undefined): boolean {
  return first?.score.errorCause === 'suspect_oracle'
}
