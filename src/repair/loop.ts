import { AutotestError } from '../errors.js'
import { clusterDiagnoses } from './diagnose/cluster-diagnoses.js'
import { diagnoseOpen } from './diagnose/diagnose-failing-cases.js'
import type { RepairCandidate } from './model/candidate.js'
import { isCopied, isLeftToPeople, retriesOf } from './model/case-findings.js'
import type { Cluster, RepairTypes } from './model/diagnosis.js'
import type { RepairInput, RepairResult } from './model/repair-input.js'
import { initialState, type RepairState, stopsCandidate, type TriedPlans } from './model/repair-state.js'
import { isUnverified, unverifiedState } from './model/unverified-candidate.js'
import { askModel } from './propose/ask-model.js'
import { candidateForModel, candidatesOf } from './propose/candidates.js'
import { createPlanner, type Planner } from './propose/rule-planner.js'
import { settleContradictions } from './propose/settle-contradictions.js'
import { restoresFirst, tryRestorations } from './propose/try-restorations.js'
import { explainUnfinished, explainUntried } from './record/explain-outcomes.js'
import { tryPlan } from './try-plan.js'
import { asksToVerify } from './verify/affordable-plan.js'

/**
 * Repairs causes one at a time: diagnose → propose → validate → verify → decide → record; after an accept the
 * remaining cases are examined again on the new snapshot. A cause is given up when all its plans were tried.
 */
export async function repairFailures<T extends RepairTypes>(input: RepairInput<T>): Promise<RepairResult> {
  const planner = createPlanner(input.domain.rules, input.rules)
  let state = initialState(input)
  let clusters: readonly Cluster<T>[] = []
  for (let round = 0; !input.signal.aborted && state.ended === undefined; round++) {
    const diagnosed = await diagnoseOpen(state, input)
    // Diagnoses of some of the cases do not show which of them belong together.
    if (input.signal.aborted) break
    state = diagnosed.state
    clusters = openClusters(diagnosed.diagnoses, state)
    if (round === 0 && diagnosed.diagnoses.length > 0)
      input.onStart(diagnosed.diagnoses.length, clusterDiagnoses(diagnosed.diagnoses).length)
    if (input.maxRetries === 0) break
    const next = await nextStep(clusters, state, planner, input)
    if (next === undefined && !state.mayBeStale) break
    // Kept diagnoses may be outdated: once no step is left, everything is diagnosed again, one time.
    if (next === undefined) state = { ...state, mayBeStale: false, diagnoses: new Map() }
    else state = await takeStep(next, state, input)
  }
  const { snapshot, accepted, unverified, exhausted, ended } = state
  const open = clusters.filter(({ key }) => !exhausted.has(key)).flatMap(({ diagnoses }) => diagnoses)
  const why =
    ended === undefined && !input.signal.aborted ? undefined : describeTermination(ended, input.signal)
  const findings =
    why === undefined ? state.findings : explainUnfinished(open, why, state.findings, input.failing)
  return {
    snapshot,
    accepted,
    findings: await placedInHistory(findings, input),
    abortedBy: ended,
    unverified,
  }
}

/**
 * Takes a step. What it found while the run was being stopped is dropped: an engine that is closed answers nothing, and that
 * is no finding about a cause. Repairs that were accepted before remain.
 */
async function takeStep<T extends RepairTypes>(
  step: () => Promise<RepairState<T>>,
  before: RepairState<T>,
  { signal }: RepairInput<T>,
): Promise<RepairState<T>> {
  try {
    const after = await step()
    return signal.aborted && after.accepted.length === before.accepted.length ? before : after
  } catch (error) {
    if (signal.aborted && (error instanceof AutotestError || error === signal.reason)) return before
    if (!(error instanceof AutotestError)) throw error
    return { ...before, ended: error }
  }
}

/** Says of each case that is left which change it began to fail with, and names all changes so that people know them. */
async function placedInHistory<T extends RepairTypes>(
  findings: RepairState<T>['findings'],
  { failing, domain: { explainer } }: RepairInput<T>,
): Promise<RepairState<T>['findings']> {
  const { nameChanges = async (text: string) => text } = explainer
  const cases = new Map(failing.map(({ testCase }) => [testCase.id, testCase]))
  const entries = [...findings].map(async ([id, finding]) => {
    const testCase = finding.repairId === undefined ? cases.get(id) : undefined
    const change = testCase && explainer.beganToFailWith?.(testCase)
    const isTold = change === undefined || finding.cause.includes(change)
    const cause = isTold ? finding.cause : `${finding.cause}; it passed before ${change}`
    return [id, { ...finding, cause: await nameChanges(cause) }] as const
  })
  return new Map(await Promise.all(entries))
}

function openClusters<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  { findings, exhausted }: RepairState<T>,
): Cluster<T>[] {
  const open = diagnoses.filter((each) => !isLeftToPeople(findings, each) && !isCopied(each))
  return clusterDiagnoses<T>(open).filter(({ key }) => !exhausted.has(key))
}

/**
 * Returns the next step: ask the model about a cluster, if it is asked first, or try the plans of a
 * candidate.
 */
async function nextStep<T extends RepairTypes>(
  clusters: readonly Cluster<T>[],
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<(() => Promise<RepairState<T>>) | undefined> {
  const { words } = input.domain.explainer
  const { snapshot, exhausted, asked } = state
  const toAsk = input.proposerFirst ? clusters.find(({ key }) => !asked.has(key)) : undefined
  if (toAsk !== undefined) {
    const candidate = candidateForModel(toAsk, { planner, snapshot, words })
    return () => askFirst(toAsk, candidate, state, planner, input)
  }
  const { signal } = input
  const [candidate] = await candidatesOf(clusters, { planner, snapshot, exhausted, words, signal })
  if (candidate === undefined) return undefined
  return () =>
    tryCandidate(candidate, state, planner, input).catch((error: unknown) => {
      if (!isUnverified(error) || signal.aborted) throw error
      return unverifiedState(error, candidate, state)
    })
}

/** Tries every source of plans for one candidate until a plan is accepted: rules, git history, a model. */
async function tryCandidate<T extends RepairTypes>(
  found: RepairCandidate<T>,
  before: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<RepairState<T>> {
  const candidate = await settleContradictions(found, before, planner, input)
  const left = input.maxRetries - retriesOf(before.findings, candidate.diagnoses)
  const restored = (await restoresFirst(candidate, before, input))
    ? await restore(candidate, before, planner, input)
    : { state: before, outcome: 'none' as const }
  const { search } = input.domain.rules
  const isWide =
    candidate.plans.length > 0 && search?.isSmallEnough(candidate.plans, restored.state.snapshot) === false
  const early =
    isWide && restored.outcome !== 'accepted' ? await withSearch(candidate, restored.state, input) : candidate
  const ruled = await tryRules(early, left, restored, planner, input)
  if (isOver(ruled.state, input)) return ruled.state
  const isDone = restored.outcome !== 'none' || ruled.outcome === 'accepted' || ruled.outcome === 'stopped'
  const former = isDone ? ruled : await restore(candidate, ruled.state, planner, input)
  if (isOver(former.state, input)) return former.state
  const steps = [restored, ruled, former]
  // What git has comes before what is sought; a small plan of the rules may be refused where another one is right.
  const isOpen = !isWide && steps.every(({ outcome }) => outcome === 'none')
  const sought = isOpen ? await withSearch({ ...candidate, plans: [] }, former.state, input) : early
  const last = isOpen ? await tryRules(sought, left, former, planner, input) : former
  if (isOver(last.state, input)) return last.state
  const verified = left <= 0 || [...steps, last].some(({ outcome }) => outcome !== 'none')
  const explained = { ...last.state, findings: explainUntried(sought, verified, last.state, input) }
  const isAccepted = [...steps, last].some(({ outcome }) => outcome === 'accepted')
  if (isAccepted) return explained
  const mayAsk = steps.every(({ outcome }) => outcome !== 'stopped') && input.proposerFirst !== true
  const asked = mayAsk
    ? await ask(candidate, explained, planner, input)
    : { state: explained, outcome: 'none' }
  if (asked.outcome === 'accepted' || isOver(asked.state, input)) return asked.state
  return { ...asked.state, exhausted: new Set([...asked.state.exhausted, candidate.key]) }
}

/** Returns a candidate with the plans of a search before those of its rules. */
async function withSearch<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  { snapshot }: RepairState<T>,
  { domain: { rules }, rules: isEnabled }: RepairInput<T>,
): Promise<RepairCandidate<T>> {
  const [first] = candidate.diagnoses
  if (!isEnabled || rules.search === undefined || first === undefined) return candidate
  const { label, subject } = first
  const { plans, abstained } = await rules.search.plans(
    { label, subject, diagnoses: candidate.diagnoses },
    snapshot,
  )
  return {
    ...candidate,
    plans: [...plans, ...candidate.plans],
    abstained: abstained ?? candidate.abstained,
  }
}

/** Tries the plans of the rules, smallest first. */
async function tryRules<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  most: number,
  restored: TriedPlans<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<TriedPlans<T>> {
  if (restored.outcome === 'accepted') return { ...restored, outcome: 'none' }
  if (restored.outcome === 'stopped') return restored
  let left = most
  let tried: TriedPlans<T> = { state: restored.state, outcome: 'none' }
  for (const plan of candidate.plans) {
    if (input.signal.aborted) return { ...tried, outcome: 'stopped' }
    if (left <= 0) break
    const { state, outcome } = await tryPlan(plan, candidate, tried.state, planner, input)
    if (outcome === 'accepted') return { state, outcome }
    if (stopsCandidate(outcome)) return { state, outcome: 'stopped' }
    tried = { state, outcome: outcome === 'invalid' ? tried.outcome : 'tried' }
    if (outcome !== 'invalid') left--
  }
  return tried
}

function restore<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<TriedPlans<T>> {
  return tryRestorations(candidate, state, input, {
    tryPlan: (plan, of, on) => tryPlan(plan, of, on, planner, input),
  })
}

function ask<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<TriedPlans<T>> {
  return askModel(candidate, state, input, {
    tryPlan: (plan, of, on, since) => tryPlan(plan, of, on, planner, input, since),
    asks: (shown, heldOut, on) => asksToVerify(shown, heldOut, on, input),
  })
}

async function askFirst<T extends RepairTypes>(
  { key }: Cluster<T>,
  candidate: RepairCandidate<T>,
  state: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<RepairState<T>> {
  // If cases contradict each other, a model must not choose between them.
  const explained = { ...state, findings: explainUntried(candidate, true, state, input) }
  const asked = await ask(candidate, explained, planner, input)
  if (asked.outcome === 'accepted' || isOver(asked.state, input)) return asked.state
  return { ...asked.state, asked: new Set([...asked.state.asked, key]) }
}

/**
 * Reports whether nothing more is tried: then the outcome of the current plan is no evidence about its cause.
 */
function isOver<T extends RepairTypes>({ ended }: RepairState<T>, { signal }: RepairInput<T>): boolean {
  return signal.aborted || ended !== undefined
}

function describeTermination(ended: AutotestError | undefined, { aborted, reason }: AbortSignal): string {
  if (ended !== undefined && !aborted) return `not tried: ${ended.message}`
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  return `not tried: ${isLate ? 'the time limit of the run was reached' : 'the run was interrupted'}`
}
