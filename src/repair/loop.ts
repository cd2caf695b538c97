import { applyEdits, changesBetween, type FileChange } from '../edit/apply.js'
import { AutotestError } from '../errors.js'
import type { Evaluation } from '../run/evaluate.js'
import { diffSnapshots } from '../snapshot/diff.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { AttemptRecord, EditRecord, Evidence, TriageLabel } from '../store/records.js'
import { type Decision, decide } from './accept.js'
import { clusterDiagnoses } from './cluster.js'
import type { Diagnosis, Proposals, RepairPlan } from './plan.js'
import { propose } from './propose.js'
import { diagnose } from './triage.js'
import { planUnits, type RepairUnit } from './units.js'
import { validatePlan } from './validate.js'
import { type VerifyContext, verify } from './verify.js'

export interface RepairInput extends VerifyContext {
  readonly snapshot: Snapshot
  /** Stable failures among the selected cases. */
  readonly failing: readonly Evaluation[]
  /** Plans tried for one cause; 0 proposes nothing. */
  readonly maxRetries: number
  readonly minGrade: 'E1' | 'E2'
  /** Milliseconds on a clock that never goes back. */
  readonly clock: () => number
  readonly onStart: (cases: number, causes: number) => void
  /** Every plan that was verified, with the files it changes. */
  readonly onAttempt: (attempt: AttemptRecord, changes: readonly FileChange[]) => void
}

export interface AcceptedRepair {
  readonly attempt: AttemptRecord
  readonly changes: readonly FileChange[]
}

/** What became of a failing case. */
export interface CaseFinding {
  readonly label: TriageLabel
  readonly cause: string
  readonly retries: number
  readonly repairId: string | undefined
}

export interface RepairResult {
  /** The knowledge after every accepted repair; nothing has been written. */
  readonly snapshot: Snapshot
  readonly accepted: readonly AcceptedRepair[]
  readonly findings: ReadonlyMap<string, CaseFinding>
}

/**
 * Repairs causes one at a time: triage, propose, validate, verify, accept or reject; after an accept the rest is
 * looked at again on the new snapshot. A cause is given up when its plans are used up.
 */
export async function repairFailures(input: RepairInput): Promise<RepairResult> {
  const state = new RepairState(input)
  let announced = false
  while (!input.signal.aborted) {
    const diagnoses = state.diagnoseOpen()
    const clusters = clusterDiagnoses(diagnoses).filter((cluster) => !state.givenUp.has(cluster.key))
    if (!announced && diagnoses.length > 0) {
      input.onStart(diagnoses.length, clusterDiagnoses(diagnoses).length)
      announced = true
    }
    if (input.maxRetries === 0) break
    const unit = planUnits(clusters, (some) => state.proposeFor(some), state.givenUp)[0]
    if (unit === undefined) break
    await state.tryUnit(unit)
  }
  return { snapshot: state.snapshot, accepted: state.accepted, findings: state.findings }
}

/** The head that repairs are stacked on, and what was learned on the way. */
class RepairState {
  snapshot: Snapshot
  readonly accepted: AcceptedRepair[] = []
  readonly findings = new Map<string, CaseFinding>()
  readonly givenUp = new Set<string>()
  private readonly seen: Set<string>
  private readonly input: RepairInput
  private attempts = 0

  constructor(input: RepairInput) {
    this.input = input
    this.snapshot = input.snapshot
    this.seen = new Set([input.snapshot.hash])
  }

  /** Diagnoses of the cases that still fail; a finding made by a rejected plan outlives a new diagnosis. */
  diagnoseOpen(): Diagnosis[] {
    const open = this.input.failing
      .map((evaluation) => this.input.current.get(evaluation.testCase.id) ?? evaluation)
      .filter((evaluation) => evaluation.score.verdict === 'fail')
    const diagnoses = open.map((evaluation) => diagnose(evaluation, this.snapshot, this.input))
    for (const { evaluation, label, cause, cluster } of diagnoses) {
      const { id } = evaluation.testCase
      const known = this.findings.get(id)
      if (
        known === undefined ||
        (cluster !== undefined && !this.givenUp.has(cluster) && known.label !== 'suspect_oracle')
      ) {
        this.findings.set(id, { label, cause, retries: known?.retries ?? 0, repairId: undefined })
      }
    }
    return diagnoses
  }

  proposeFor(diagnoses: readonly Diagnosis[]): Proposals {
    const first = diagnoses[0]
    if (first === undefined) return { plans: [] }
    return propose({ label: first.label, subject: first.subject, diagnoses }, this.snapshot, this.input)
  }

  async tryUnit(unit: RepairUnit): Promise<void> {
    for (const odd of unit.contradicting) {
      this.find(
        odd,
        'suspect_oracle',
        `its expected query contradicts the ${unit.diagnoses.length} other failing cases of ${odd.subject}`,
      )
    }
    if (unit.plans.length === 0) {
      for (const diagnosis of unit.diagnoses) {
        this.find(
          diagnosis,
          diagnosis.label,
          `${diagnosis.cause}; ${unit.abstained ?? 'no plan could be made'}`,
        )
      }
    }
    for (const plan of unit.plans.slice(0, this.input.maxRetries)) {
      if (this.input.signal.aborted) return
      if (await this.tryPlan(plan, unit)) return
    }
    this.givenUp.add(unit.key)
  }

  private async tryPlan(plan: RepairPlan, unit: RepairUnit): Promise<boolean> {
    const started = this.input.clock()
    const validation = validatePlan(plan, this.snapshot, this.seen, this.input)
    if (validation.kind === 'invalid') {
      for (const diagnosis of unit.diagnoses)
        this.find(diagnosis, diagnosis.label, `${diagnosis.cause}; plan refused: ${validation.reason}`)
      return false
    }
    const { candidate } = validation
    this.seen.add(candidate.hash)
    const { evidence, after } = await verify(
      plan,
      unit.diagnoses,
      this.snapshot,
      candidate,
      (some) => this.proposeFor(some),
      (other) => this.applied(other),
      this.input,
    )
    if (this.input.signal.aborted) return false
    const decision = decide(evidence, unit.independent, this.input.minGrade)
    const attempt = this.record(plan, candidate, evidence, decision, this.input.clock() - started)
    const changes = changesBetween(this.snapshot, candidate)
    if (decision.kind === 'accept') this.accept(plan, candidate, after, { attempt, changes })
    else this.reject(unit, decision)
    this.input.onAttempt(attempt, changes)
    return decision.kind === 'accept'
  }

  private accept(
    plan: RepairPlan,
    candidate: Snapshot,
    after: ReadonlyMap<string, Evaluation>,
    repair: AcceptedRepair,
  ): void {
    this.accepted.push(repair)
    this.snapshot = candidate
    for (const [id, evaluation] of after) this.input.current.set(id, evaluation)
    for (const testCase of plan.cases) {
      const known = this.findings.get(testCase.id)
      this.findings.set(testCase.id, {
        label: plan.label,
        cause: plan.title,
        retries: (known?.retries ?? 0) + 1,
        repairId: repair.attempt.id,
      })
    }
  }

  private reject(unit: RepairUnit, decision: Extract<Decision, { kind: 'reject' }>): void {
    for (const diagnosis of unit.diagnoses) {
      const siblings = decision.broken.filter((id) => this.readsSameMetric(id, diagnosis))
      if (siblings.length > 0) {
        const cases =
          siblings.length === 1
            ? `passing case ${siblings[0]}`
            : `${siblings.length} passing cases (${siblings.slice(0, 3).join(', ')})`
        this.find(
          diagnosis,
          'suspect_oracle',
          `its expected query contradicts ${cases} of ${diagnosis.subject}`,
          1,
        )
      } else {
        this.find(diagnosis, diagnosis.label, `${diagnosis.cause}; ${decision.reason}`, 1)
      }
    }
  }

  private readsSameMetric(caseId: string, diagnosis: Diagnosis): boolean {
    const other = this.input.current.get(caseId)?.sample
    const metric = diagnosis.interpretation.metric?.id
    return (
      other !== undefined &&
      other.kind !== 'error' &&
      other.read !== 'all' &&
      metric !== undefined &&
      other.read.includes(metric)
    )
  }

  private find(diagnosis: Diagnosis, label: TriageLabel, cause: string, retries = 0): void {
    const { id } = diagnosis.evaluation.testCase
    const known = this.findings.get(id)
    this.findings.set(id, { label, cause, retries: (known?.retries ?? 0) + retries, repairId: undefined })
  }

  private applied(plan: RepairPlan): Snapshot | undefined {
    try {
      return applyEdits(this.snapshot, plan.edits)
    } catch (error) {
      if (error instanceof AutotestError) return undefined
      throw error
    }
  }

  private record(
    plan: RepairPlan,
    candidate: Snapshot,
    evidence: Evidence,
    decision: Decision,
    ms: number,
  ): AttemptRecord {
    this.attempts++
    const kinds = new Map(plan.edits.map((edit) => [edit.path, edit.kind]))
    const edits = diffSnapshots(this.snapshot, candidate).map((file): EditRecord => {
      return {
        kind: kinds.get(file.path) ?? 'edit_snippet',
        file: file.path,
        diff: file.patch,
        added: file.added,
        removed: file.removed,
      }
    })
    const retries =
      Math.max(0, ...plan.cases.map((testCase) => this.findings.get(testCase.id)?.retries ?? 0)) + 1
    return {
      id: `p${this.attempts}`,
      label: plan.label,
      subject: plan.subject,
      title: plan.title,
      reasoning: plan.reasoning,
      cases: plan.cases.map((testCase) => testCase.id),
      outcome: decision.kind === 'accept' ? 'accepted' : 'rejected',
      reason: decision.kind === 'reject' ? decision.reason : undefined,
      grade: decision.kind === 'accept' ? decision.grade : undefined,
      goldExposed: plan.goldExposed,
      evidence,
      edits,
      retries,
      ms,
      llmCalls: 0,
      commit: undefined,
    }
  }
}
