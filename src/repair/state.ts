import { changesBetween } from '../edit/apply.js'
import { AutotestError } from '../errors.js'
import type { Evaluation } from '../run/evaluate.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { affordPlan } from './afford.js'
import { forProposer, leastOf, type PlanOutcome, type ProposalContext, tryProposals } from './ask-proposer.js'
import { attemptRecord, revertedBefore, withHistory, withWarnings } from './attempt-record.js'
import { inAuthorsWords } from './authors-words.js'
import { historyOf } from './doubts/history.js'
import { doubtsAbout } from './doubts.js'
import { Findings } from './findings.js'
import { isFormerCluster } from './former/clusters.js'
import { wasEmptied } from './former/emptied.js'
import { tryFormer } from './former/former.js'
import type { AcceptedRepair, RepairInput } from './input.js'
import { KeptProposals } from './kept-proposals.js'
import { knowledgeOf, meansExpected } from './knowledge.js'
import { firstObstacle } from './obstacle.js'
import { passedUnseen } from './passed-unseen.js'
import type { Cluster, Diagnosis, RepairPlan } from './plan.js'
import { planned } from './planned.js'
import { changedQuery, changedTogether } from './triage/changed-query.js'
import { comparedWithOthers } from './triage/compared.js'
import { KeptDiagnoses } from './triage/kept-diagnoses.js'
import { unsettledText } from './triage/unsettled-text.js'
import { hasTwoEach, type Planner, type RepairUnit, unitToAsk } from './units.js'
import { decide } from './verify/accept.js'
import { withoutAddedComments } from './verify/added-comments.js'
import { newlyPassing } from './verify/regression.js'
import { isShownEqual } from './verify/shown-equal.js'
import { validatePlan, validateProposed } from './verify/validate.js'
import { verify } from './verify/verify.js'
import { warningsOf } from './verify/warnings.js'

/** A plan that may be made, and the knowledge with it. */
interface ValidPlan {
  readonly plan: RepairPlan
  readonly candidate: Snapshot
  /** Whether the knowledge once said the same. */
  readonly isFormer: boolean
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
  private readonly asked = new Set<string>()
  readonly diagnoses: KeptDiagnoses
  private readonly proposals: KeptProposals
  /** State of the knowledge, by hash → why a plan that leads there is refused. */
  private readonly seen: Map<string, string>
  private readonly input: RepairInput
  private attempts = 0

  constructor(input: RepairInput) {
    this.input = input
    this.snapshot = input.snapshot
    this.diagnoses = new KeptDiagnoses(input)
    this.proposals = new KeptProposals(input)
    this.findings = new Findings(input)
    this.seen = new Map()
  }

  /** Diagnoses of the cases that still fail; a finding made by a rejected plan outlives a new diagnosis. */
  diagnoseOpen(): Diagnosis[] {
    const open = this.input.failing
      .map((evaluation) => this.input.current.get(evaluation.testCase.id) ?? evaluation)
      .filter((evaluation) => evaluation.score.verdict === 'fail')
    const alone = open.map((evaluation) => this.diagnoses.of(evaluation, this.snapshot))
    const found = comparedWithOthers(alone, this.snapshot, this.input, this.givenUp)
    const kb = knowledgeOf(this.snapshot, this.input)
    const diagnoses =
      this.input.proposer === undefined ? found : found.map((each) => forProposer(each, kb, this.input))
    for (const { evaluation, label, cause, cluster } of diagnoses) {
      const { id } = evaluation.testCase
      const known = this.findings.byCase.get(id)
      const isTried = cluster === undefined || this.givenUp.has(cluster) || this.asked.has(cluster)
      if (known === undefined || (!isTried && known.label !== 'suspect_oracle')) {
        this.findings.byCase.set(id, { label, cause, retries: known?.retries ?? 0, repairId: undefined })
      }
    }
    return diagnoses
  }

  /** The first cluster that the proposer is still to be asked about before the rules make plans. */
  firstToAsk(clusters: readonly Cluster[]): Cluster | undefined {
    return this.input.proposerFirst ? clusters.find(({ key }) => !this.asked.has(key)) : undefined
  }

  async askFirst(cluster: Cluster): Promise<void> {
    const unit = unitToAsk(cluster, this.planner)
    // Cases that contradict each other are no proposer's to choose from.
    this.findings.explain(unit, true, this.snapshot)
    const accepted = await this.askProposer(unit)
    if (!accepted && !this.input.signal.aborted) this.asked.add(cluster.key)
  }

  readonly planner: Planner = {
    propose: (diagnoses) => this.proposals.of(diagnoses, this.snapshot),
    says: (plan, { evaluation }) => {
      const candidate = planned(plan, this.snapshot)
      return candidate !== undefined && meansExpected(evaluation.testCase, candidate, this.input)
    },
  }

  /** What it expects contradicts others: the rest is repaired without it. */
  isSuspect(diagnosis: Diagnosis): boolean {
    return this.findings.of(diagnosis)?.label === 'suspect_oracle'
  }

  /** What the run did not come to the end of. */
  leaveOpen(clusters: readonly Cluster[], why: string): void {
    const left = clusters.filter(({ key }) => !this.givenUp.has(key))
    for (const diagnosis of left.flatMap(({ diagnoses }) => diagnoses))
      this.findings.unfinished(diagnosis, why)
  }

  async tryUnit(unit: RepairUnit): Promise<void> {
    const tried = unit.diagnoses.map((diagnosis) => this.findings.of(diagnosis)?.retries ?? 0)
    let left = this.input.maxRetries - Math.max(0, ...tried)
    let verified = left <= 0
    let [accepted, obstructed] = [false, false]
    const before = (await wasEmptied(unit, this.snapshot, this.input)) ? await this.giveBack(unit) : 'none'
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
    const former = isOver ? before : await this.giveBack(unit)
    if (this.input.signal.aborted) return
    accepted ||= former === 'accepted'
    this.findings.explain(unit, verified || former !== 'none', this.snapshot)
    const asks = !obstructed && this.input.proposerFirst !== true
    if (accepted || (asks && (await this.askProposer(unit)))) return
    if (!this.input.signal.aborted) this.givenUp.add(unit.key)
  }

  /** Where the rules have no plan that holds, what git has of the entries. */
  private async giveBack(unit: RepairUnit): Promise<'accepted' | 'tried' | 'none'> {
    const { diagnoses, contradicting } = unit
    const open = diagnoses.filter((each) => !this.isSuspect(each) && !contradicting.includes(each))
    if (!this.input.rules || open.length === 0) return 'none'
    return tryFormer(open, {
      ...this.proposalContext(),
      tryPlan: (plan, leftOut, of) => this.tryPlan(plan, { ...unit, diagnoses: of, plans: [plan], leftOut }),
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
  private async askProposer(unit: RepairUnit): Promise<boolean> {
    const { proposer } = this.input
    const open = unit.diagnoses.filter((diagnosis) => !this.isSuspect(diagnosis))
    if (proposer === undefined || open.length === 0 || unit.clusterKeys.length > 1) return false
    if (open.some(isFormerCluster)) return false
    return tryProposals(open, proposer, {
      ...this.proposalContext(),
      tryPlan: (plan, held) => this.tryPlan(plan, { ...unit, diagnoses: open, plans: [plan], held }),
    })
  }

  private async tryPlan(proposed: RepairPlan, unit: RepairUnit): Promise<PlanOutcome> {
    const bare = unit.held === undefined ? proposed : withoutAddedComments(proposed, this.snapshot)
    const { plan, isFormer } = await inAuthorsWords(bare, this.snapshot, this.input)
    const suspect = await changedQuery(plan, this.snapshot, isFormer, this.input)
    if (suspect !== undefined) {
      for (const diagnosis of unit.diagnoses) this.findings.suspect(diagnosis, suspect, this.snapshot)
      return 'obstructed'
    }
    const unsettled = await unsettledText(plan, this.snapshot, this.input)
    if (unsettled !== undefined) {
      for (const diagnosis of unit.diagnoses) this.findings.note(diagnosis, unsettled.label, unsettled.cause)
      return 'obstructed'
    }
    const started = { at: this.input.clock(), calls: this.input.llmCalls() }
    const candidate = this.validated(plan, unit)
    if (candidate === undefined) return 'invalid'
    const obstacle = await firstObstacle(changesBetween(this.snapshot, candidate), this.input)
    if (obstacle !== undefined) {
      for (const diagnosis of unit.diagnoses)
        this.findings.note(diagnosis, diagnosis.label, `${diagnosis.cause}; not repaired: ${obstacle}`)
      return 'obstructed'
    }
    try {
      const { held, diagnoses } = unit
      if (held === undefined)
        await affordPlan(plan, unit, this.snapshot, candidate, this.planner.propose, this.input)
      const least =
        held === undefined ? plan : await leastOf(plan, diagnoses, held, this.snapshot, candidate, this.input)
      const reduced = least === plan ? candidate : this.validated(least, unit)
      if (reduced === undefined) return 'invalid'
      const outcome = await this.verifyPlan({ plan: least, candidate: reduced, isFormer, started }, unit)
      const why = outcome === 'rejected' ? this.seen.get(reduced.hash) : undefined
      if (why !== undefined) this.seen.set(candidate.hash, why)
      return outcome
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code !== 'not_verified') throw error
      if (this.input.signal.aborted) return 'rejected'
      this.unverified.push(error.message)
      for (const diagnosis of unit.diagnoses) this.findings.unverified(diagnosis, error.message)
      return 'unverified'
    }
  }

  /** The knowledge with the plan; undefined, and noted why, where it may not be. */
  private validated(plan: RepairPlan, { diagnoses, held }: RepairUnit): Snapshot | undefined {
    const validate = held === undefined ? validatePlan : validateProposed
    const validation = validate(plan, this.snapshot, this.seen, this.input)
    if (validation.kind === 'valid') return validation.candidate
    // Only a plan of the rules says what the expected query says.
    const isFromExpected = held === undefined && plan.isFormer !== true
    const found = isFromExpected ? validation : { ...validation, ignores: [] }
    for (const diagnosis of diagnoses) this.findings.refuse(diagnosis, found)
    return undefined
  }

  private async verifyPlan(
    { plan, candidate, isFormer, started }: ValidPlan,
    unit: RepairUnit,
  ): Promise<PlanOutcome> {
    const { held } = unit
    const areWithheld = held !== undefined
    const check = () => passedUnseen(unit, candidate, this.snapshot, this.planner.propose, this.input)
    const unseen = { check, mustPass: areWithheld }
    const { evidence, after, ...told } = await verify(plan, this.snapshot, candidate, unseen, this.input)
    if (this.input.signal.aborted) return 'rejected'
    const doubts = doubtsAbout(plan, this.snapshot, candidate, isFormer, this.input)
    const everyMetricHeldOut = held === undefined ? hasTwoEach(unit.diagnoses) : held.length > 0
    const cases = unit.diagnoses.map(({ evaluation }) => evaluation.testCase)
    // What the rules make is made to be: where it is not, the author's own words are.
    const shown = !areWithheld || isShownEqual(plan, cases, this.snapshot, candidate, after, this.input)
    const limits = { ...told, doubts, everyMetricHeldOut, areWithheld, isShownEqual: shown }
    const decision = decide(evidence, limits, this.input.minGrade)
    const tried = unit.diagnoses.map((diagnosis) => this.findings.of(diagnosis)?.retries ?? 0)
    const alsoFixed =
      decision.kind === 'accept' ? newlyPassing(after, plan, this.input, this.findings.byCase) : []
    const changes = changesBetween(this.snapshot, candidate)
    // What the knowledge once said is no new wish, whoever wrote it down in the cases.
    const isNew = decision.kind === 'accept' && !isFormer
    const together = isNew ? await changedTogether(plan, this.snapshot, this.input) : []
    const attempt = attemptRecord({
      id: `p${++this.attempts}`,
      plan: withHistory(plan, [
        ...historyOf(plan, this.snapshot, candidate, knowledgeOf(this.snapshot, this.input), this.input),
        ...together,
        ...revertedBefore(changes, this.input),
      ]),
      before: this.snapshot,
      candidate,
      evidence: withWarnings(evidence, warningsOf(this.snapshot, candidate, this.input)),
      decision,
      alsoFixed,
      retries: Math.max(0, ...tried) + 1,
      ms: this.input.clock() - started.at,
      llmCalls: this.input.llmCalls() - started.calls,
    })
    if (decision.kind === 'accept') this.accept(candidate, after, { attempt, changes })
    else {
      this.seen.set(candidate.hash, `the same knowledge was tried before: ${decision.reason}`)
      this.findings.reject(unit, decision, this.snapshot)
    }
    this.input.onAttempt(attempt, changes)
    return decision.kind === 'accept' ? 'accepted' : 'rejected'
  }

  private accept(candidate: Snapshot, after: ReadonlyMap<string, Evaluation>, repair: AcceptedRepair): void {
    const { id, label, title, cases } = repair.attempt
    const paths = repair.changes.map((change) => change.path)
    this.diagnoses.changed({ subject: repair.attempt.subject, paths })
    this.accepted.push(repair)
    this.seen.set(this.snapshot.hash, `it would undo ${id}: the knowledge would be as it was before`)
    this.snapshot = candidate
    for (const [caseId, evaluation] of after) this.input.current.set(caseId, evaluation)
    for (const caseId of cases) {
      const retries = (this.findings.byCase.get(caseId)?.retries ?? 0) + 1
      this.findings.byCase.set(caseId, { label, cause: title, retries, repairId: id })
    }
  }
}
