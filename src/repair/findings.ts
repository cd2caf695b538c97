import type { Snapshot } from '../snapshot/snapshot.js'
import type { TriageLabel } from '../store/records.js'
import type { CaseFinding, RepairInput } from './input.js'
import type { Diagnosis } from './plan.js'
import { describeContradiction, readsSameMetric, similarPassingCases } from './triage/siblings.js'
import type { RepairCandidate } from './units.js'
import type { Decision } from './verify/accept.js'
import type { Validation } from './verify/validate.js'

/** What becomes of each failing case, and what a person should know of those that stay. */
export class Findings {
  readonly byCase = new Map<string, CaseFinding>()
  private readonly input: RepairInput

  constructor(input: RepairInput) {
    this.input = input
  }

  /** What a person should know of the cases that no plan was tried for, and of those left out of it that it did not serve. */
  explain(unit: RepairCandidate, verified: boolean, snapshot: Snapshot): void {
    for (const odd of unit.contradicting.filter((each) => this.of(each)?.repairId === undefined)) {
      const others = unit.diagnoses.filter((each) => each !== odd && each.cluster === odd.cluster)
      const ids = others.map(({ evaluation }) => evaluation.testCase.id)
      this.record(odd, 'suspect_oracle', describeContradiction(odd, 'failing', ids))
    }
    if (verified) return
    for (const diagnosis of unit.diagnoses.filter((each) => !unit.contradicting.includes(each))) {
      const siblings =
        diagnosis.label === 'wrong_definition'
          ? similarPassingCases(diagnosis, this.input.current.values(), snapshot, this.input)
          : []
      if (siblings.length > 0) {
        this.resolveContradiction(diagnosis, unit, siblings, 0)
      } else if (unit.plans.length === 0) {
        const { proposer, proposerFirst } = this.input
        // What came of asking a model is told: where it was asked first, instead, and where it is next, then.
        if (proposerFirst === true && this.of(diagnosis)?.cause !== diagnosis.cause) continue
        const nothing = proposer === undefined || proposerFirst ? 'no plan could be made' : undefined
        const why = unit.abstained ?? nothing
        if (why !== undefined) this.record(diagnosis, diagnosis.label, `${diagnosis.cause}; ${why}`)
      }
    }
  }

  /** An expected query that does without a value of its question is more likely wrong than the snippet. */
  recordInvalid(
    diagnosis: Diagnosis,
    { reason, ignores, isTold }: Extract<Validation, { kind: 'invalid' }>,
  ): void {
    if (isTold === true && (this.of(diagnosis)?.retries ?? 0) > 0) return
    const { bindings } = diagnosis.interpretation
    // The expression of a choice is the author's own: it may be what is wrong.
    const ignored = bindings.find(
      ({ parameter, span, value }) =>
        span !== undefined && value.kind !== 'choice' && ignores.includes(parameter),
    )
    if (ignored === undefined) {
      this.record(diagnosis, diagnosis.label, `${diagnosis.cause}; plan refused: ${reason}`)
    } else {
      const cause = `its expected query does not follow the ${ignored.parameter} "${ignored.span?.text ?? ''}" of its question`
      this.record(diagnosis, 'suspect_oracle', cause)
    }
  }

  recordRejected(
    unit: RepairCandidate,
    decision: Extract<Decision, { kind: 'reject' }>,
    snapshot: Snapshot,
  ): void {
    for (const diagnosis of unit.diagnoses) {
      const { current } = this.input
      const siblings = decision.broken.filter((id) =>
        readsSameMetric(current.get(id), diagnosis, snapshot, this.input),
      )
      if (siblings.length > 0) this.resolveContradiction(diagnosis, unit, siblings, 1)
      else this.record(diagnosis, diagnosis.label, `${diagnosis.cause}; ${decision.reason}`, 1)
    }
  }

  /** The plan for it could not be verified: that says nothing of the plan. */
  recordUnverified(diagnosis: Diagnosis, reason: string): void {
    this.record(diagnosis, diagnosis.label, `${diagnosis.cause}; not verified: ${reason}`)
  }

  /** What ended the repair before the cause was done with, behind what was found until then. */
  recordUnfinished(diagnosis: Diagnosis, why: string): void {
    const known = this.of(diagnosis)
    if (known?.repairId !== undefined || known?.label === 'suspect_oracle') return
    this.record(diagnosis, diagnosis.label, `${known?.cause ?? diagnosis.cause}; ${why}`)
  }

  /** What speaks against an expected query, with the passing cases that do as well. */
  recordSuspect(diagnosis: Diagnosis, cause: string, snapshot: Snapshot): void {
    // A question with more words than its metric's asks for something else than the cases of that do.
    const siblings =
      diagnosis.interpretation.kind === 'bound'
        ? similarPassingCases(diagnosis, this.input.current.values(), snapshot, this.input)
        : []
    const also = siblings.length === 0 ? [] : [describeContradiction(diagnosis, 'passing', siblings)]
    this.record(diagnosis, 'suspect_oracle', [...also, cause].join('; '))
  }

  /** Expected queries of failing and passing cases that cannot all be true: the fewer are suspect. */
  private resolveContradiction(
    diagnosis: Diagnosis,
    unit: RepairCandidate,
    siblings: readonly string[],
    retries: number,
  ): void {
    const alike = unit.diagnoses.filter(
      (each) => each.cluster === diagnosis.cluster && !unit.contradicting.includes(each),
    )
    if (alike.length <= siblings.length) {
      this.record(diagnosis, 'suspect_oracle', describeContradiction(diagnosis, 'passing', siblings), retries)
      return
    }
    const ids = alike.map(({ evaluation }) => evaluation.testCase.id)
    for (const id of siblings) {
      const cause = describeContradiction(diagnosis, 'failing', ids)
      this.byCase.set(id, { label: 'suspect_oracle', cause, retries: 0, repairId: undefined })
    }
    const suspects = siblings.slice(0, 3).join(', ')
    this.record(
      diagnosis,
      diagnosis.label,
      `${diagnosis.cause}; the repair would break ${suspects}, which passes and which ${ids.length} failing cases contradict`,
      retries,
    )
  }

  of({ evaluation }: Diagnosis): CaseFinding | undefined {
    return this.byCase.get(evaluation.testCase.id)
  }

  record(diagnosis: Diagnosis, label: TriageLabel, cause: string, retries = 0): void {
    const before = this.of(diagnosis)?.retries ?? 0
    const finding = { label, cause, retries: before + retries, repairId: undefined }
    this.byCase.set(diagnosis.evaluation.testCase.id, finding)
  }
}
