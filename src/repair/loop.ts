import { applyEdits, changesBetween } from '../edit/apply.js'
import { AutotestError } from '../errors.js'
import type { Evaluation } from '../run/evaluate.js'
import { changedPaths, type Snapshot } from '../snapshot/snapshot.js'
import type { TriageLabel } from '../store/records.js'
import { type Decision, decide } from './accept.js'
import { attemptRecord } from './attempt-record.js'
import { clusterDiagnoses } from './cluster.js'
import type { AcceptedRepair, CaseFinding, RepairInput, RepairResult } from './input.js'
import { KeptDiagnoses } from './kept-diagnoses.js'
import { knowledgeOf, meaningOf, saysExpected } from './knowledge.js'
import type { Diagnosis, Proposals, RepairPlan } from './plan.js'
import { propose } from './propose.js'
import { contradiction, passingLike, readsSameMetric } from './siblings.js'
import { hasTwoEach, type Planner, planUnits, type RepairUnit } from './units.js'
import { type Validation, validatePlan } from './validate.js'
import { verify } from './verify.js'

/**
 * Repairs causes one at a time: triage, propose, validate, verify, accept or reject; after an accept the rest is
 * looked at again on the new snapshot. A cause is given up when its plans are used up.
 */
export async function repairFailures(input: RepairInput): Promise<RepairResult> {
  const state = new RepairState(input)
  let announced = false
  while (!input.signal.aborted) {
    const diagnoses = state.diagnoseOpen()
    const clusters = clusterDiagnoses(diagnoses.filter((diagnosis) => !state.isSuspect(diagnosis))).filter(
      (cluster) => !state.givenUp.has(cluster.key),
    )
    if (!announced && diagnoses.length > 0) {
      input.onStart(diagnoses.length, clusterDiagnoses(diagnoses).length)
      announced = true
    }
    if (input.maxRetries === 0) break
    const unit = planUnits(clusters, state.planner, state.givenUp)[0]
    if (unit === undefined && state.diagnoses.forget()) continue
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
  readonly diagnoses: KeptDiagnoses
  /** Kept with the diagnosis of their first case. */
  private readonly proposals = new WeakMap<Diagnosis, Map<string, Proposals>>()
  private readonly seen: Set<string>
  private readonly input: RepairInput
  private attempts = 0

  constructor(input: RepairInput) {
    this.input = input
    this.snapshot = input.snapshot
    this.diagnoses = new KeptDiagnoses(input)
    this.seen = new Set([input.snapshot.hash])
  }

  /** Diagnoses of the cases that still fail; a finding made by a rejected plan outlives a new diagnosis. */
  diagnoseOpen(): Diagnosis[] {
    const open = this.input.failing
      .map((evaluation) => this.input.current.get(evaluation.testCase.id) ?? evaluation)
      .filter((evaluation) => evaluation.score.verdict === 'fail')
    const diagnoses = open.map((evaluation) => this.diagnoses.of(evaluation, this.snapshot))
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

  readonly planner: Planner = {
    propose: (diagnoses) => this.proposeFor(diagnoses),
    says: (plan, { evaluation }) => {
      const candidate = this.applied(plan)
      if (candidate === undefined) return false
      const kb = knowledgeOf(candidate, this.input)
      const meaning = meaningOf(evaluation.testCase, kb, this.input)
      if (meaning.kind !== 'bound') return false
      return saysExpected(evaluation.testCase, meaning.metric, meaning.bindings, kb, this.input)
    },
  }

  private proposeFor(diagnoses: readonly Diagnosis[]): Proposals {
    const first = diagnoses[0]
    if (first === undefined) return { plans: [] }
    const { label, subject } = first
    const known = this.proposals.get(first) ?? new Map<string, Proposals>()
    this.proposals.set(first, known)
    const key = diagnoses.map(({ evaluation }) => evaluation.testCase.id).join('\0')
    const proposals = known.get(key) ?? propose({ label, subject, diagnoses }, this.snapshot, this.input)
    known.set(key, proposals)
    return proposals
  }

  /** What it expects contradicts others: the rest is repaired without it. */
  isSuspect(diagnosis: Diagnosis): boolean {
    return this.known(diagnosis)?.label === 'suspect_oracle'
  }

  async tryUnit(unit: RepairUnit): Promise<void> {
    const tried = unit.diagnoses.map((diagnosis) => this.known(diagnosis)?.retries ?? 0)
    let left = this.input.maxRetries - Math.max(0, ...tried)
    let verified = left <= 0
    let accepted = false
    for (const plan of unit.plans) {
      if (this.input.signal.aborted) return
      if (left <= 0 || accepted) break
      const outcome = await this.tryPlan(plan, unit)
      if (outcome === 'invalid') continue
      verified = true
      left--
      accepted = outcome === 'accepted'
    }
    if (this.input.signal.aborted) return
    if (!accepted) this.givenUp.add(unit.key)
    this.explain(unit, verified)
  }

  /** What a person should know of the cases that no plan was tried for, and of those left out of it. */
  private explain(unit: RepairUnit, verified: boolean): void {
    for (const odd of unit.contradicting) {
      const others = unit.diagnoses.filter((each) => each !== odd && each.cluster === odd.cluster)
      const ids = others.map(({ evaluation }) => evaluation.testCase.id)
      this.find(odd, 'suspect_oracle', contradiction(odd, 'failing', ids))
    }
    if (verified) return
    const kb = knowledgeOf(this.snapshot, this.input)
    for (const diagnosis of unit.diagnoses.filter((each) => !unit.contradicting.includes(each))) {
      const siblings =
        diagnosis.label === 'wrong_definition'
          ? passingLike(diagnosis, this.input.current.values(), kb, this.input)
          : []
      if (siblings.length > 0) {
        this.find(diagnosis, 'suspect_oracle', contradiction(diagnosis, 'passing', siblings))
      } else if (unit.plans.length === 0) {
        const why = unit.abstained ?? 'no plan could be made'
        this.find(diagnosis, diagnosis.label, `${diagnosis.cause}; ${why}`)
      }
    }
  }

  private async tryPlan(plan: RepairPlan, unit: RepairUnit): Promise<'accepted' | 'rejected' | 'invalid'> {
    const started = this.input.clock()
    const validation = validatePlan(plan, this.snapshot, this.seen, this.input)
    if (validation.kind === 'invalid') {
      for (const diagnosis of unit.diagnoses) this.refuse(diagnosis, validation)
      return 'invalid'
    }
    const { candidate } = validation
    const obstacle = await this.obstacle(candidate)
    if (obstacle !== undefined) {
      for (const diagnosis of unit.diagnoses)
        this.find(diagnosis, diagnosis.label, `${diagnosis.cause}; ${obstacle}`)
      return 'invalid'
    }
    this.seen.add(candidate.hash)
    const { evidence, unvaried, after } = await verify(
      plan,
      unit.diagnoses,
      this.snapshot,
      candidate,
      this.planner.propose,
      (other) => this.applied(other),
      this.input,
    )
    if (this.input.signal.aborted) return 'rejected'
    const decision = decide(evidence, unvaried, hasTwoEach(unit.diagnoses), this.input.minGrade)
    const tried = unit.diagnoses.map((diagnosis) => this.known(diagnosis)?.retries ?? 0)
    const alsoFixed = decision.kind === 'accept' ? this.newlyPassing(after, plan) : []
    const attempt = attemptRecord({
      id: `p${++this.attempts}`,
      plan,
      before: this.snapshot,
      candidate,
      evidence,
      decision,
      alsoFixed,
      retries: Math.max(0, ...tried) + 1,
      ms: this.input.clock() - started,
    })
    const changes = changesBetween(this.snapshot, candidate)
    if (decision.kind === 'accept') this.accept(candidate, after, { attempt, changes })
    else this.reject(unit, decision)
    this.input.onAttempt(attempt, changes)
    return decision.kind === 'accept' ? 'accepted' : 'rejected'
  }

  /** Failing and unproven cases that the plan was not made for: they had the same cause after all. */
  private newlyPassing(after: ReadonlyMap<string, Evaluation>, plan: RepairPlan): string[] {
    const own = new Set(plan.cases.map((testCase) => testCase.id))
    const failing = new Set(this.input.failing.map(({ testCase }) => testCase.id))
    return [...this.input.current].flatMap(([id, { score }]) => {
      const bad = failing.has(id)
        ? this.findings.get(id)?.repairId === undefined
        : score.verdict === 'unproven'
      return bad && !own.has(id) && after.get(id)?.score.verdict === 'pass' ? [id] : []
    })
  }

  private accept(candidate: Snapshot, after: ReadonlyMap<string, Evaluation>, repair: AcceptedRepair): void {
    const { id, label, title, cases } = repair.attempt
    const paths = repair.changes.map((change) => change.path)
    this.diagnoses.changed({ subject: repair.attempt.subject, paths })
    this.accepted.push(repair)
    this.snapshot = candidate
    for (const [caseId, evaluation] of after) this.input.current.set(caseId, evaluation)
    for (const caseId of cases) {
      const retries = (this.findings.get(caseId)?.retries ?? 0) + 1
      this.findings.set(caseId, { label, cause: title, retries, repairId: id })
    }
  }

  private async obstacle(candidate: Snapshot): Promise<string | undefined> {
    for (const path of changedPaths(this.snapshot, candidate)) {
      const obstacle = await this.input.obstacleTo(path)
      if (obstacle !== undefined) return obstacle
    }
    return undefined
  }

  /** An expected query that does without a value of its question is more likely wrong than the snippet. */
  private refuse(diagnosis: Diagnosis, { reason, ignores }: Extract<Validation, { kind: 'invalid' }>): void {
    const { bindings } = diagnosis.interpretation
    // The expression of a choice is the author's own: it may be what is wrong.
    const ignored = bindings.find(
      ({ parameter, span, value }) =>
        span !== undefined && value.kind !== 'choice' && ignores.includes(parameter),
    )
    if (ignored === undefined) {
      this.find(diagnosis, diagnosis.label, `${diagnosis.cause}; plan refused: ${reason}`)
    } else {
      const cause = `its expected query does not follow the ${ignored.parameter} "${ignored.span?.text ?? ''}" of its question`
      this.find(diagnosis, 'suspect_oracle', cause)
    }
  }

  private reject(unit: RepairUnit, decision: Extract<Decision, { kind: 'reject' }>): void {
    for (const diagnosis of unit.diagnoses) {
      const { current } = this.input
      const siblings = decision.broken.filter((id) => readsSameMetric(current.get(id), diagnosis))
      if (siblings.length > 0)
        this.find(diagnosis, 'suspect_oracle', contradiction(diagnosis, 'passing', siblings), 1)
      else this.find(diagnosis, diagnosis.label, `${diagnosis.cause}; ${decision.reason}`, 1)
    }
  }

  private known({ evaluation }: Diagnosis): CaseFinding | undefined {
    return this.findings.get(evaluation.testCase.id)
  }

  private find(diagnosis: Diagnosis, label: TriageLabel, cause: string, retries = 0): void {
    const before = this.known(diagnosis)?.retries ?? 0
    const finding = { label, cause, retries: before + retries, repairId: undefined }
    this.findings.set(diagnosis.evaluation.testCase.id, finding)
  }

  private applied(plan: RepairPlan): Snapshot | undefined {
    try {
      return applyEdits(this.snapshot, plan.edits)
    } catch (error) {
      if (error instanceof AutotestError) return undefined
      throw error
    }
  }
}
