import type { Evaluation } from '../../run/evaluate.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairContext } from '../knowledge.js'
import type { Diagnosis } from '../plan.js'
import { diagnose } from './triage.js'

export interface RepairedKnowledge {
  /** `metric dau`. */
  readonly subject: string
  /** Files that changed. */
  readonly paths: readonly string[]
}

/**
 * Diagnoses by case, kept over the accepts that should not concern them: with many faults, looking at all of them again
 * after each repair is most of the work.
 */
export class DiagnosisCache {
  private readonly kept = new Map<string, Diagnosis>()
  private stale = false
  private readonly context: RepairContext

  constructor(context: RepairContext) {
    this.context = context
  }

  of(evaluation: Evaluation, snapshot: Snapshot): Diagnosis {
    const { id } = evaluation.testCase
    const diagnosis = this.kept.get(id) ?? diagnose(evaluation, snapshot, this.context)
    this.kept.set(id, diagnosis)
    return diagnosis
  }

  /** Some of the knowledge is other than it was. */
  invalidate(repair: RepairedKnowledge): void {
    this.stale = true
    for (const [id, diagnosis] of this.kept) if (!isStillValid(diagnosis, repair)) this.kept.delete(id)
  }

  /** Forgets all; whether any diagnosis might be of earlier knowledge. */
  clear(): boolean {
    const { stale } = this
    this.stale = false
    this.kept.clear()
    return stale
  }
}

/** A cause stays one while the entry that it is about does. */
function isStillValid({ label, subject, interpretation }: Diagnosis, repair: RepairedKnowledge): boolean {
  if (label === 'missing_alias' || label === 'missing_value') return subject !== repair.subject
  if (label !== 'wrong_definition' || interpretation.kind === 'unbound') return false
  const { path, snippet } = interpretation.metric
  return !repair.paths.some((changed) => changed === path || changed.endsWith(`/${snippet}`))
}
