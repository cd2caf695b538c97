import type { PageData } from '../../../src/report/html/page-data.js'

export interface Verdict {
  readonly text: string
  /** Its colour: what is unfinished is not green. */
  readonly state: 'passed' | 'pending' | 'failed'
}

/** Returns what a reader of the page is told first: what is right, and what still has to be done by somebody. */
export function verdictOf({
  run,
  summary,
  questions,
}: Pick<PageData, 'run' | 'summary' | 'questions'>): Verdict {
  const { total, passed, repaired, pending, skipped } = summary
  const needed = summary.failed + summary.unproven + summary.errored
  const isWhole = skipped === 0 && run.failure === undefined && run.status === 'finished' && total > 0
  const right = passed + repaired
  const parts = [
    ...(needed === 0 ? [] : [`${needed} of ${total} cases ${needed === 1 ? 'needs' : 'need'} a person`]),
    ...(pending === 0
      ? []
      : [`${pending} wrong with a verified repair, not written yet: autotest apply ${run.id}`]),
    ...(questions.length === 0
      ? []
      : [`${questions.length} ${questions.length === 1 ? 'decision waits' : 'decisions wait'}`]),
  ]
  const isDone = parts.length === 0 && isWhole
  const head =
    total === 0
      ? 'No case was run'
      : isDone
        ? `All ${total} cases are right`
        : `${right} of ${total} cases are right`
  return {
    text: [
      ...(parts.length === 0 ? [head] : parts),
      ...(repaired === 0 ? [] : [`${repaired} repaired`]),
      ...(skipped === 0 ? [] : [`${skipped} not run`]),
    ].join(' · '),
    state: needed > 0 || run.failure !== undefined ? 'failed' : isDone ? 'passed' : 'pending',
  }
}
