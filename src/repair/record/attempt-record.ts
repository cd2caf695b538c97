import type { FileChange } from '../../edit/apply-edits.js'
import { diffSnapshots } from '../../snapshot/diff.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { AttemptRecord, EditRecord, Evidence } from '../../store/record-types.js'
import type { Decision } from '../decide/decide-on-plan.js'
import type { RepairInput } from '../model/repair-input.js'
import type { RepairPlan } from '../model/repair-plan.js'

export interface Attempt {
  readonly id: string
  readonly plan: RepairPlan
  /** The history of the changed texts, one clause each. */
  readonly history: readonly string[]
  readonly before: Snapshot
  readonly candidate: Snapshot
  readonly evidence: Evidence
  /** Texts of the knowledge base that contradict it. */
  readonly warnings: readonly string[]
  readonly decision: Decision
  /** Why a person has to accept it, although it is proved; absent: nobody has to. */
  readonly heldBy?: string | undefined
  /** Failing cases that pass on the candidate although the plan was not made for them. */
  readonly alsoFixed: readonly string[]
  /** Number of plans for the cause for which the agent was called, including this one. */
  readonly retries: number
  /** Duration in milliseconds. */
  readonly ms: number
  /** Number of model calls during verification. */
  readonly llmCalls: number
}

/** Returns the database row of a verified plan. */
export function attemptRecord(attempt: Attempt): AttemptRecord {
  const { id, plan, before, candidate, evidence, decision, alsoFixed, retries, ms, llmCalls } = attempt
  const { history, warnings, heldBy } = attempt
  const kinds = new Map(plan.edits.map((edit) => [edit.path, edit.kind]))
  const edits = diffSnapshots(before, candidate).map((file): EditRecord => {
    return {
      kind: kinds.get(file.path) ?? 'edit',
      file: file.path,
      diff: file.patch,
      added: file.added,
      removed: file.removed,
    }
  })
  return {
    id,
    label: plan.label,
    subject: plan.subject,
    title: plan.title,
    reasoning: [plan.reasoning, ...history].join('; '),
    cases: [...plan.cases.map((testCase) => testCase.id), ...alsoFixed],
    outcome: decision.kind === 'accept' && heldBy === undefined ? 'accepted' : 'rejected',
    reason: decision.kind === 'reject' ? decision.reason : heldBy && `held: ${heldBy}`,
    grade: decision.kind === 'accept' ? decision.grade : undefined,
    goldExposed: plan.goldExposed,
    evidence: warnings.length === 0 ? evidence : { ...evidence, warnings },
    edits,
    retries,
    ms,
    llmCalls,
    commit: undefined,
  }
}

/** Returns a warning if the same repair was reverted before: whoever did so should recognise it. */
export function revertedBefore(
  changes: readonly FileChange[],
  { revertedIn }: Pick<RepairInput, 'revertedIn'>,
): string[] {
  const runs = new Set(changes.flatMap((change) => revertedIn?.(change) ?? []))
  return [...runs].map((run) => `run ${run} wrote the same, and it was reverted`)
}
