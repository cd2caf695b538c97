import { changesBetween } from '../edit/apply.js'
import { AutotestError } from '../errors.js'
import type { Evaluation } from '../run/evaluate.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { ensureVerificationBudget } from './afford.js'
import {
  assignProposerCluster,
  minimizeWithinBudget,
  type PlanOutcome,
  type ProposalContext,
  tryProposals,
} from './ask-proposer.js'
import { describePreviousReverts, toAttemptRecord, withHistory, withWarnings } from './attempt-record.js'
import { preferOriginalText } from './authors-words.js'
import { describeRestorations } from './doubts/history.js'
import { checkSingleExample } from './doubts.js'
import { Findings } from './findings.js'
import { isRestoreCluster } from './former/clusters.js'
import { wasFileEmptied } from './former/emptied.js'
import { tryGitRestore } from './former/former.js'
import type { AcceptedRepair, RepairInput } from './input.js'
import { ProposalCache } from './kept-proposals.js'
import { knowledgeBaseOf, resolvesToExpected } from './knowledge.js'
import { findWriteObstacle } from './obstacle.js'
import { scoreHeldOut } from './passed-unseen.js'
import type { Cluster, Diagnosis, RepairPlan } from './plan.js'
import { applyPlan } from './planned.js'
import { describeJointChange, findChangedExpectedQuery } from './triage/changed-query.js'
import { diagnoseAcrossCases } from './triage/compared.js'
import { DiagnosisCache } from './triage/kept-diagnoses.js'
import { checkLiteralData } from './triage/unsettled-text.js'
import { candidateForProposer, hasTwoCasesPerCluster, type Planner, type RepairCandidate } from './units.js'
import { decide } from './verify/accept.js'
import { stripAddedComments } from './verify/added-comments.js'
import { newlyPassing } from './verify/regression.js'
import { isStructurallyEqual } from './verify/shown-equal.js'
import { validatePlan, validateProposed } from './verify/validate.js'
import { verify } from './verify/verify.js'
import { repairWarnings } from './verify/warnings.js'

/** A plan that may be made, and the knowledge with it. */
interface ValidPlan {
  readonly plan: RepairPlan
  readonly candidate: Snapshot
  /** Whether the knowledge once said the same. */
  readonly isRestored: boolean
  /** Clock and count of calls when it was begun. */
  readonly started: { readonly at: number; readonly calls: number }
}

/** The head that repairs are stacked on, and what was learned on the way. */
export class RepairState {
  snapshot: Snapshot
  readonly accepted: AcceptedRepair[] = []
  readonly findings: Findings
  readonly unverified: string[] = []
  readonly givenUp = new Set<string>()
  /** Clusters that the proposer has no plan for that holds; the rules go on with them, where it is asked first. */
  private readonly askedClusters = new Set<string>()
  readonly diagnoses: DiagnosisCache
  private readonly proposals: ProposalCache
  /** State of the knowledge, by hash → why a plan that leads there is refused. */
  private readonly refusedSnapshots: Map<string, string>
  private readonly input: RepairInput
  private attempts = 0

  constructor(input: RepairInput) {
    this.input = input
    this.snapshot = input.snapshot
    this.diagnoses = new DiagnosisCache(input)
    this.proposals = new ProposalCache(input)
    this.findings = new Findings(input)
    this.refusedSnapshots = new Map()
  }

  /** Diagnoses of the cases that still fail; a finding made by a rejected plan outlives a new diagnosis. */
  diagnoseOpen(): Diagnosis[] {
    const open = this.input.failing
      .map((evaluation) => this.input.current.get(evaluation.testCase.id) ?? evaluation)
      .filter((evaluation) => evaluation.score.verdict === 'fail')
    const alone = open.map((evaluation) => this.diagnoses.of(evaluation, this.snapshot))
    const found = diagnoseAcrossCases(alone, this.snapshot, this.input, this.givenUp)
    const kb = knowledgeBaseOf(this.snapshot, this.input)
    const diagnoses =
      this.input.proposer === undefined
        ? found
        : found.map((each) => assignProposerCluster(each, kb, this.input))
    for (const { evaluation, label, cause, cluster } of diagnoses) {
      const { id } = evaluation.testCase
      const known = this.findings.byCase.get(id)
      const isTried = cluster === undefined || this.givenUp.has(cluster) || this.askedClusters.has(cluster)
      if (known === undefined || (!isTried && known.label !== 'suspect_oracle')) {
        this.findings.byCase.set(id, { label, cause, retries: known?.retries ?? 0, repairId: undefined })
      }
    }
    return diagnoses
  }

  /** The first cluster that the proposer is still to be asked about before the rules make plans. */
  nextClusterForProposer(clusters: readonly Cluster[]): Cluster | undefined {
    return this.input.proposerFirst ? clusters.find(({ key }) => !this.askedClusters.has(key)) : undefined
  }

  async askProposerFirst(cluster: Cluster): Promise<void> {
    const unit = candidateForProposer(cluster, this.planner)
    // Cases that contradict each other are no proposer's to choose from.
    this.findings.explain(unit, true, this.snapshot)
    const accepted = await this.askProposer(unit)
    if (!accepted && !this.input.signal.aborted) this.askedClusters.add(cluster.key)
  }

  readonly planner: Planner = {
    propose: (diagnoses) => this.proposals.of(diagnoses, this.snapshot),
    satisfies: (plan, { evaluation }) => {
      const candidate = applyPlan(plan, this.snapshot)
      return candidate !== undefined && resolvesToExpected(evaluation.testCase, candidate, this.input)
    },
  }

  /** What it expects contradicts others: the rest is repaired without it. */
  isSuspect(diagnosis: Diagnosis): boolean {
    return this.findings.of(diagnosis)?.label === 'suspect_oracle'
  }

  /** What the run did not come to the end of. */
  recordUnfinished(clusters: readonly Cluster[], why: string): void {
    const left = clusters.filter(({ key }) => !this.givenUp.has(key))
    for (const diagnosis of left.flatMap(({ diagnoses }) => diagnoses))
      this.findings.recordUnfinished(diagnosis, why)
  }

  async tryCandidate(unit: RepairCandidate): Promise<void> {
    const tried = unit.diagnoses.map((diagnosis) => this.findings.of(diagnosis)?.retries ?? 0)
    let left = this.input.maxRetries - Math.max(0, ...tried)
    let verified = left <= 0
    let [accepted, obstructed] = [false, false]
    const before = (await wasFileEmptied(unit, this.snapshot, this.input))
      ? await this.tryRestoring(unit)
      : 'none'
    for (const plan of before === 'accepted' ? [] : unit.plans) {
      if (this.input.signal.aborted) return
      // Behind an obstacle, another plan would be chosen for where it writes and not for what it says.
      if (left <= 0 || accepted || obstructed) break
      const outcome = await this.tryPlan(plan, unit)
      if (outcome === 'invalid') continue
      verified = true
      left--
      accepted = outcome === 'accepted'
      obstructed = outcome === 'obstructed' || outcome === 'unverified'
    }
    const isOver = accepted || obstructed || before !== 'none'
    const former = isOver ? before : await this.tryRestoring(unit)
    if (this.input.signal.aborted) return
    accepted ||= former === 'accepted'
    this.findings.explain(unit, verified || former !== 'none', this.snapshot)
    const asks = !obstructed && this.input.proposerFirst !== true
    if (accepted || (asks && (await this.askProposer(unit)))) return
    if (!this.input.signal.aborted) this.givenUp.add(unit.key)
  }

  /** Where the rules have no plan that holds, what git has of the entries. */
  private async tryRestoring(unit: RepairCandidate): Promise<'accepted' | 'tried' | 'none'> {
    const { diagnoses, contradicting } = unit
    const open = diagnoses.filter((each) => !this.isSuspect(each) && !contradicting.includes(each))
    if (!this.input.rules || open.length === 0) return 'none'
    return tryGitRestore(open, {
      ...this.proposalContext(),
      tryPlan: (plan, crossValidation, of) =>
        this.tryPlan(plan, { ...unit, diagnoses: of, plans: [plan], crossValidation }),
    })
  }

  private proposalContext(): Omit<ProposalContext, 'tryPlan'> {
    return {
      snapshot: this.snapshot,
      input: this.input,
      findings: this.findings,
      isSuspect: (diagnosis) => this.isSuspect(diagnosis),
    }
  }

  /** Where nothing says that the benchmark is at fault. */
  private async askProposer(unit: RepairCandidate): Promise<boolean> {
    const { proposer } = this.input
    const open = unit.diagnoses.filter((diagnosis) => !this.isSuspect(diagnosis))
    if (proposer === undefined || open.length === 0 || unit.clusterKeys.length > 1) return false
    if (open.some(isRestoreCluster)) return false
    return tryProposals(open, proposer, {
      ...this.proposalContext(),
      tryPlan: (plan, heldOut) => this.tryPlan(plan, { ...unit, diagnoses: open, plans: [plan], heldOut }),
    })
  }

  private async tryPlan(proposed: RepairPlan, unit: RepairCandidate): Promise<PlanOutcome> {
    const bare = unit.heldOut === undefined ? proposed : stripAddedComments(proposed, this.snapshot)
    const { plan, isRestored } = await preferOriginalText(bare, this.snapshot, this.input)
    const suspect = await findChangedExpectedQuery(plan, this.snapshot, isRestored, this.input)
    if (suspect !== undefined) {
      for (const diagnosis of unit.diagnoses) this.findings.recordSuspect(diagnosis, suspect, this.snapshot)
      return 'obstructed'
    }
    const unsettled = await checkLiteralData(plan, this.snapshot, this.input)
    if (unsettled !== undefined) {
      for (const diagnosis of unit.diagnoses)
        this.findings.record(diagnosis, unsettled.label, unsettled.cause)
      return 'obstructed'
    }
    const started = { at: this.input.clock(), calls: this.input.llmCalls() }
    const candidate = this.validated(plan, unit)
    if (candidate === undefined) return 'invalid'
    const obstacle = await findWriteObstacle(changesBetween(this.snapshot, candidate), this.input)
    if (obstacle !== undefined) {
      for (const diagnosis of unit.diagnoses)
        this.findings.record(diagnosis, diagnosis.label, `${diagnosis.cause}; not repaired: ${obstacle}`)
      return 'obstructed'
    }
    try {
      const { heldOut, diagnoses } = unit
      if (heldOut === undefined)
        await ensureVerificationBudget(plan, unit, this.snapshot, candidate, this.planner.propose, this.input)
      const least =
        heldOut === undefined
          ? plan
          : await minimizeWithinBudget(plan, diagnoses, heldOut, this.snapshot, candidate, this.input)
      const reduced = least === plan ? candidate : this.validated(least, unit)
      if (reduced === undefined) return 'invalid'
      const outcome = await this.verifyPlan({ plan: least, candidate: reduced, isRestored, started }, unit)
      const why = outcome === 'rejected' ? this.refusedSnapshots.get(reduced.hash) : undefined
      if (why !== undefined) this.refusedSnapshots.set(candidate.hash, why)
      return outcome
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code !== 'not_verified') throw error
      if (this.input.signal.aborted) return 'rejected'
      this.unverified.push(error.message)
      for (const diagnosis of unit.diagnoses) this.findings.recordUnverified(diagnosis, error.message)
      return 'unverified'
    }
  }

  /** The knowledge with the plan; undefined, and noted why, where it may not be. */
  private validated(plan: RepairPlan, { diagnoses, heldOut }: RepairCandidate): Snapshot | undefined {
    const validate = heldOut === undefined ? validatePlan : validateProposed
    const validation = validate(plan, this.snapshot, this.refusedSnapshots, this.input)
    if (validation.kind === 'valid') return validation.candidate
    // Only a plan of the rules says what the expected query says.
    const isFromExpected = heldOut === undefined && plan.isRestored !== true
    const found = isFromExpected ? validation : { ...validation, ignores: [] }
    for (const diagnosis of diagnoses) this.findings.recordInvalid(diagnosis, found)
    return undefined
  }

  private async verifyPlan(
    { plan, candidate, isRestored, started }: ValidPlan,
    unit: RepairCandidate,
  ): Promise<PlanOutcome> {
    const { heldOut } = unit
    const areWithheld = heldOut !== undefined
    const check = () => scoreHeldOut(unit, candidate, this.snapshot, this.planner.propose, this.input)
    const unseen = { check, mustPass: areWithheld }
    const { evidence, after, ...told } = await verify(plan, this.snapshot, candidate, unseen, this.input)
    if (this.input.signal.aborted) return 'rejected'
    const concerns = checkSingleExample(plan, this.snapshot, candidate, isRestored, this.input)
    const everyMetricHeldOut =
      heldOut === undefined ? hasTwoCasesPerCluster(unit.diagnoses) : heldOut.length > 0
    const cases = unit.diagnoses.map(({ evaluation }) => evaluation.testCase)
    // What the rules make is made to be: where it is not, the author's own words are.
    const shown =
      !areWithheld || isStructurallyEqual(plan, cases, this.snapshot, candidate, after, this.input)
    const limits = { ...told, concerns, everyMetricHeldOut, areWithheld, isStructurallyEqual: shown }
    const decision = decide(evidence, limits, this.input.minGrade)
    const tried = unit.diagnoses.map((diagnosis) => this.findings.of(diagnosis)?.retries ?? 0)
    const alsoFixed =
      decision.kind === 'accept' ? newlyPassing(after, plan, this.input, this.findings.byCase) : []
    const changes = changesBetween(this.snapshot, candidate)
    // What the knowledge once said is no new wish, whoever wrote it down in the cases.
    const isNew = decision.kind === 'accept' && !isRestored
    const together = isNew ? await describeJointChange(plan, this.snapshot, this.input) : []
    const attempt = toAttemptRecord({
      id: `p${++this.attempts}`,
      plan: withHistory(plan, [
        ...describeRestorations(
          plan,
          this.snapshot,
          candidate,
          knowledgeBaseOf(this.snapshot, this.input),
          this.input,
        ),
        ...together,
        ...describePreviousReverts(changes, this.input),
      ]),
      before: this.snapshot,
      candidate,
      evidence: withWarnings(evidence, repairWarnings(this.snapshot, candidate, this.input)),
      decision,
      alsoFixed,
      retries: Math.max(0, ...tried) + 1,
      ms: this.input.clock() - started.at,
      llmCalls: this.input.llmCalls() - started.calls,
    })
    if (decision.kind === 'accept') this.accept(candidate, after, { attempt, changes })
    else {
      this.refusedSnapshots.set(candidate.hash, `the same knowledge was tried before: ${decision.reason}`)
      this.findings.recordRejected(unit, decision, this.snapshot)
    }
    this.input.onAttempt(attempt, changes)
    return decision.kind === 'accept' ? 'accepted' : 'rejected'
  }

  private accept(candidate: Snapshot, after: ReadonlyMap<string, Evaluation>, repair: AcceptedRepair): void {
    const { id, label, title, cases } = repair.attempt
    const paths = repair.changes.map((change) => change.path)
    this.diagnoses.invalidate({ subject: repair.attempt.subject, paths })
    this.accepted.push(repair)
    this.refusedSnapshots.set(
      this.snapshot.hash,
      `it would undo ${id}: the knowledge would be as it was before`,
    )
    this.snapshot = candidate
    for (const [caseId, evaluation] of after) this.input.current.set(caseId, evaluation)
    for (const caseId of cases) {
      const retries = (this.findings.byCase.get(caseId)?.retries ?? 0) + 1
      this.findings.byCase.set(caseId, { label, cause: title, retries, repairId: id })
    }
  }
}
