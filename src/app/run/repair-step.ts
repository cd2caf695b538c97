import type { RepairTypes } from '../../repair/model/diagnosis.js'
import type { RepairResult } from '../../repair/model/repair-input.js'
import type { BaselineCase } from '../../run/baseline.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { QuestionDraft } from '../../store/question-types.js'
import type { MeasuredBaseline, StartedRun } from './run-state.js'

/** Returns the result of a run that ended before it could repair, or has nothing to repair. */
function emptyRepairResult(snapshot: Snapshot): RepairResult {
  return { snapshot, accepted: [], findings: new Map(), abortedBy: undefined, unverified: [] }
}

/** Repairs the stable failures of the baseline in memory; nothing is written to disk. */
export async function repairFailingCases(
  started: StartedRun,
  baseline: MeasuredBaseline,
): Promise<RepairResult> {
  const { request, snapshot, run, parts } = started
  const { cases, isExhausted, isGivenUp, isLate } = baseline
  if (isExhausted || isGivenUp || isLate || request.mode === 'evaluate' || request.signal.aborted)
    return emptyRepairResult(snapshot)
  const failing = stableFailures(cases)
  if (failing.length === 0) return emptyRepairResult(snapshot)
  const accepted: string[] = []
  return parts
    .repair(started, baseline, failing, {
      onAttempt(attempt, changes) {
        if (attempt.outcome === 'accepted') accepted.push(attempt.id)
        request.store.recordAttempt(run.id, attempt, changes)
        request.listener({ kind: 'attempt_finished', attempt })
      },
      onQuestion: (question) =>
        request.store.recordQuestion(run.id, withAcceptance(question, run.id), request.now()),
    })
    .catch((error: unknown) => {
      // Nothing was written, so nothing may be recorded as accepted.
      for (const id of accepted) request.store.updateAttempt(run.id, id, { outcome: 'rejected' })
      throw error
    })
}

/** Returns the question with the command that accepts its repair, if that is proved. */
function withAcceptance(question: QuestionDraft, runId: string): QuestionDraft {
  const { obstacle, ...rest } = question
  if (question.repair === undefined) {
    const options = question.options.map((option) =>
      option.answer === 'follow_benchmark' && obstacle !== undefined
        ? { ...option, how: `${option.how} (${obstacle})` }
        : option,
    )
    return { ...rest, options }
  }
  // Where no change speaks against a repair, sentences do, and would be untrue with it.
  const places = question.change === undefined ? question.statements.map(({ place }) => place) : []
  const untrue = places.filter((place) => !place.startsWith('commit '))
  const mend = untrue.length === 0 ? '' : ` (then change what is written at ${untrue.join(' and ')})`
  const how = `autotest apply ${runId} --repair ${question.repair}${mend}`
  return { ...question, options: [...question.options, { answer: 'accept', how }] }
}

/**
 * Returns the stable failures in the order of the benchmark: the order of answers must not decide which cause
 * is repaired first.
 */
function stableFailures(baseline: ReadonlyMap<string, BaselineCase<RepairTypes>>): Evaluation<RepairTypes>[] {
  return [...baseline.values()]
    .filter(
      ({ evaluation, flaky, unconfirmed }) =>
        evaluation.score.verdict === 'fail' && !flaky && unconfirmed !== true,
    )
    .sort((a, b) => a.position - b.position)
    .map(({ evaluation }) => evaluation)
}
