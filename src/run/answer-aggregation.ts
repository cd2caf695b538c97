import type { DomainTypes } from '../contracts/domain-types.js'
import type { Evaluation } from './evaluate-case.js'

/** The aggregate of several answers to one case with the same knowledge. */
export interface AggregatedAnswer<T extends DomainTypes = DomainTypes> {
  /** The representative answer: the one whose fault should be examined first. */
  readonly evaluation: Evaluation<T>
  /** Whether some are right and some wrong: reported as such, never repaired. */
  readonly flaky: boolean
}

/**
 * Aggregates answers. Infrastructure errors are no evidence about the other answers, but a case with one is
 * an error if these agree: a case that was not fully run never passes.
 */
export function aggregateAnswers<T extends DomainTypes>(
  answers: readonly [Evaluation<T>, ...Evaluation<T>[]],
): AggregatedAnswer<T> {
  const verdicts = new Set(answers.map(({ score }) => score.verdict))
  const first = (verdict: Evaluation['score']['verdict']): Evaluation<T> | undefined =>
    answers.find(({ score }) => score.verdict === verdict)
  const broken = first('error')
  verdicts.delete('error')
  const flaky = verdicts.size > 1
  const evaluation = flaky ? (first('fail') ?? first('unproven')) : broken
  return { evaluation: evaluation ?? answers[0], flaky }
}

/**
 * Aggregates a failure with its retries: flaky if an answer that is no infrastructure error differs. It is an
 * error if all retries are infrastructure errors: then it is unknown whether the failure is stable.
 */
export function aggregateRetries<T extends DomainTypes>(
  found: AggregatedAnswer<T>,
  again: readonly Evaluation<T>[],
): AggregatedAnswer<T> {
  const verdict = ({ score }: Evaluation): string => score.verdict
  const answered = again.filter((answer) => verdict(answer) !== 'error')
  if (answered.some((answer) => verdict(answer) !== verdict(found.evaluation)))
    return { ...found, flaky: true }
  const [broken] = again
  return broken !== undefined && answered.length === 0 ? { ...found, evaluation: broken } : found
}
