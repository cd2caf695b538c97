import type { DomainTypes } from '../contracts/domain-types.js'
import type { Evaluation } from './evaluate.js'

/** The aggregate of several answers to one case with the same knowledge. */
export interface AggregatedAnswer<T extends DomainTypes = DomainTypes> {
  /** The one that stands for all of them: what is wrong with it is worth a look first. */
  readonly evaluation: Evaluation<T>
  /** They are not all right, nor all wrong: reported as such, never repaired. */
  readonly flaky: boolean
}

/**
 * Answers that broke say nothing about the others, but a case with one is an error where these do not differ: what did
 * not run is never green.
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
 * A failure after it was asked again: flaky where an answer that did not break is another. It is an error where all of
 * them broke: nobody knows whether it is stable.
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
