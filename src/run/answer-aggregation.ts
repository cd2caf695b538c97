import type { DomainTypes } from '../contracts/domain-types.js'
import type { Evaluation } from './evaluate-case.js'

/** The aggregate of several answers to one case with the same knowledge. */
export interface AggregatedAnswer<T extends DomainTypes = DomainTypes> {
  /** The representative answer: the one whose fault should be examined first. */
  readonly evaluation: Evaluation<T>
  /** Whether some are right and some wrong: reported as such, never repaired. */
  readonly flaky: boolean
  /** Whether it is a failure that was asked again without any answer: it may be flaky, and is not repaired. */
  readonly unconfirmed?: boolean | undefined
}

/**
 * Aggregates answers. Answers that broke are no evidence about the others: a case that failed otherwise has failed,
 * but one that passed otherwise is an error, as a case that was not fully run never passes.
 */
export function aggregateAnswers<T extends DomainTypes>(
  answers: readonly [Evaluation<T>, ...Evaluation<T>[]],
): AggregatedAnswer<T> {
  const verdicts = new Set(answers.map(({ score }) => score.verdict))
  const first = (verdict: Evaluation['score']['verdict']): Evaluation<T> | undefined =>
    answers.find(({ score }) => score.verdict === verdict)
  const broken = first('error')
  // One that can be read says more of what is wrong than one that cannot.
  const wrongAnswer = answers.find((answer) => answer.score.verdict === 'fail' && isReadable(answer))
  verdicts.delete('error')
  const flaky = verdicts.size > 1
  const wrong = wrongAnswer ?? first('fail') ?? first('unproven')
  return { evaluation: wrong ?? broken ?? answers[0], flaky }
}

/**
 * Aggregates a failure with its retries: flaky if one that can be read differs. If none of them can be read, it stays
 * the failure that it is, with its answer, and it is unknown whether it is stable.
 */
export function aggregateRetries<T extends DomainTypes>(
  found: AggregatedAnswer<T>,
  again: readonly Evaluation<T>[],
): AggregatedAnswer<T> {
  const verdict = ({ score }: Evaluation): string => score.verdict
  const answered = again.filter((answer) => verdict(answer) !== 'error' && isReadable(answer))
  if (answered.some((answer) => verdict(answer) !== verdict(found.evaluation)))
    return { ...found, flaky: true }
  const [readable] = answered
  if (!isReadable(found.evaluation) && readable !== undefined) return { ...found, evaluation: readable }
  return isReadable(found.evaluation) && again.length > 0 && answered.length === 0
    ? { ...found, unconfirmed: true }
    : found
}

function isReadable({ sample }: Evaluation): boolean {
  return sample.kind !== 'unreadable'
}
