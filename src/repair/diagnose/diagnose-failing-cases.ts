import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { copiedNote, isCopied, isLeftToPeople, sharedCauseOf } from '../model/case-findings.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { CaseFinding, RepairInput } from '../model/repair-input.js'
import type { RepairState } from '../model/repair-state.js'

export interface Diagnosed<T extends RepairTypes> {
  readonly state: RepairState<T>
  readonly diagnoses: readonly T['diagnosis'][]
}

/**
 * Returns diagnoses of the cases that still fail; a finding from a rejected plan is kept in place of a new
 * diagnosis.
 */
export async function diagnoseOpen<T extends RepairTypes>(
  state: RepairState<T>,
  { domain: { diagnoser }, failing, proposer, signal }: RepairInput<T>,
): Promise<Diagnosed<T>> {
  const open = failing
    .map((evaluation) => state.current.get(evaluation.testCase.id) ?? evaluation)
    .filter((evaluation) => evaluation.score.verdict === 'fail')
  const kept = new Map(state.diagnoses)
  const alone: T['diagnosis'][] = []
  for (const evaluation of open) {
    const { id } = evaluation.testCase
    const diagnosis = kept.get(id) ?? diagnoser.diagnose(evaluation, state.snapshot)
    kept.set(id, diagnosis)
    alone.push(diagnosis)
    // Lets an interrupt through: many diagnoses take seconds.
    await eventLoopTurn()
    if (signal.aborted) break
  }
  // An answer that may be copied supports no change: it must not make a cause of one other case, either.
  const groups = [alone.filter((each) => !isCopied(each)), alone.filter(isCopied)]
  const related = groups
    .filter((some) => some.length > 0)
    .flatMap((some) => diagnoser.relate?.(some, state.snapshot, state.exhausted) ?? some)
    .map((each) => (isCopied(each) ? { ...each, cause: `${each.cause}; ${copiedNote(each)}` } : each))
  const diagnoses =
    proposer === undefined
      ? related
      : related.map((each) => diagnoser.forModel?.(each, state.snapshot) ?? each)
  return { state: { ...state, diagnoses: kept, findings: findingsOf(diagnoses, state) }, diagnoses }
}

function findingsOf<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  { findings, exhausted, asked }: RepairState<T>,
): ReadonlyMap<string, CaseFinding> {
  const next = new Map(findings)
  for (const diagnosis of diagnoses) {
    const { evaluation, label, cause, cluster } = diagnosis
    const { id } = evaluation.testCase
    const known = next.get(id)
    const isTried = cluster === undefined || exhausted.has(cluster) || asked.has(cluster)
    if (known === undefined || (!isTried && !isLeftToPeople(findings, diagnosis)))
      next.set(id, {
        label,
        cause,
        retries: known?.retries ?? 0,
        repairId: undefined,
        sharedCause: known?.sharedCause ?? sharedCauseOf(diagnosis),
      })
  }
  return next
}
