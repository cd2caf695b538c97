import { applyEdits } from '../edit/apply.js'
import type { KnowledgeBase } from '../kb/entry.js'
import type { Evaluation } from '../run/evaluate.js'
import { diffSnapshots } from '../snapshot/diff.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { maxTwinCount, requiredRepetitions } from './afford.js'
import type { Findings } from './findings.js'
import type { RepairInput } from './input.js'
import type { RepairContext } from './knowledge.js'
import type { Diagnosis, RepairPlan } from './plan.js'
import { missingMetricName } from './propose/new-metric.js'
import type { PreviousAttempt, Proposer } from './proposer.js'
import { isPass } from './verify/context.js'
import { splitHeldOut } from './verify/held-out.js'
import { estimateMinimizationCalls, minimizePlan } from './verify/needed.js'

/**
 * `obstructed`: it would change a file that may not be written; nothing was verified. `unverified`: agent or engine broke
 * while it was.
 */
export type PlanOutcome = 'accepted' | 'rejected' | 'invalid' | 'obstructed' | 'unverified'

/** What trying proposals takes of the loop that they are part of. */
export interface ProposalContext {
  readonly snapshot: Snapshot
  readonly input: RepairInput
  readonly findings: Findings
  readonly isSuspect: (diagnosis: Diagnosis) => boolean
  readonly tryPlan: (plan: RepairPlan, held: readonly Diagnosis[]) => Promise<PlanOutcome>
}

/** Labels of causes that rules leave to a person, and that a proposer may know an edit for. */
const proposableLabels: ReadonlySet<string> = new Set([
  'missing_definition',
  'missing_value',
  'missing_alias',
  'retrieval_miss',
  'broken_entry',
])

/**
 * A diagnosis that rules have no plan for, in a cluster of its metric, or of what its question calls one that there is not:
 * a new metric takes two cases.
 */
export function assignProposerCluster(
  diagnosis: Diagnosis,
  kb: KnowledgeBase,
  context: RepairContext,
): Diagnosis {
  const { cluster, label, interpretation, evaluation } = diagnosis
  if (cluster !== undefined || !proposableLabels.has(label)) return diagnosis
  const { id, question } = evaluation.testCase
  const name =
    label === 'missing_definition'
      ? missingMetricName(question, kb, context.asOf(evaluation.testCase))
      : undefined
  const about = interpretation.metric?.id ?? (name === undefined ? `case:${id}` : `named:${name}`)
  return { ...diagnosis, cluster: `${label}:${about}` }
}

/**
 * Asks for one plan after the other, each with what became of those before, until one is accepted or the retries are
 * used up; whether one was accepted. What verifying takes is set aside before a plan is asked for.
 */
export async function tryProposals(
  diagnoses: readonly Diagnosis[],
  proposer: Proposer,
  context: ProposalContext,
): Promise<boolean> {
  const { input, snapshot, findings } = context
  const { shown, held } = splitHeldOut(diagnoses, input.named)
  const earlier: PreviousAttempt[] = []
  const tried = Math.max(0, ...diagnoses.map((diagnosis) => findings.of(diagnosis)?.retries ?? 0))
  for (let left = input.maxRetries - tried; left > 0; left--) {
    if (input.signal.aborted) return false
    const hold = proposer.reserve(estimateAgentCalls(shown, held, input))
    const protect = questionsToProtect(diagnoses, input)
    const proposed = await proposer
      .propose({ diagnoses: shown, snapshot, protect, earlier })
      .finally(hold.release)
    if (input.signal.aborted) return false
    if (proposed.kind === 'none') {
      for (const diagnosis of diagnoses)
        findings.record(diagnosis, diagnosis.label, `${diagnosis.cause}; ${proposed.reason}`)
      earlier.push({ diff: '(nothing)', outcome: proposed.reason })
      continue
    }
    const outcome = await context.tryPlan(proposed.plan, held)
    if (outcome === 'accepted') return true
    if (outcome === 'obstructed' || outcome === 'unverified' || diagnoses.some(context.isSuspect))
      return false
    const [first] = diagnoses
    earlier.push({
      diff: diffOf(snapshot, proposed.plan),
      outcome: (first === undefined ? undefined : findings.of(first)?.cause) ?? outcome,
    })
  }
  return false
}

/** The plan that a proposer made, with nothing in it that its cases do without; what finding that takes is set aside first. */
export async function minimizeWithinBudget(
  plan: RepairPlan,
  diagnoses: readonly Diagnosis[],
  held: readonly Diagnosis[],
  snapshot: Snapshot,
  candidate: Snapshot,
  input: RepairInput,
): Promise<RepairPlan> {
  const cases = [...plan.cases, ...held.map(({ evaluation }) => evaluation.testCase)]
  const asks = await estimateMinimizationCalls(plan, cases, snapshot, candidate, input)
  if (asks > 0) {
    const shown = diagnoses.filter((diagnosis) => !held.includes(diagnosis))
    input.proposer?.reserve(asks + estimateAgentCalls(shown, held, input)).release()
  }
  return minimizePlan(plan, cases, snapshot, candidate, input)
}

/** How often the agent is asked to verify a plan for the entries that the cause is about. */
function estimateAgentCalls(
  shown: readonly Diagnosis[],
  held: readonly Diagnosis[],
  { evaluator, benchmark, current }: Pick<RepairInput, 'evaluator' | 'benchmark' | 'current'>,
): number {
  const cases = shown.length + held.length + maxTwinCount(shown)
  const own = new Set([...shown, ...held].map(({ evaluation }) => evaluation.testCase.id))
  const about = likelyEditedEntries(shown)
  const readers = [...current.values()].filter(
    (evaluation) => !own.has(evaluation.testCase.id) && readsAny(evaluation, about),
  )
  // Under a filter, the other cases are asked before an accept, on the knowledge as it is.
  return requiredRepetitions({ evaluator }) * cases + readers.length + (benchmark.length - current.size)
}

/** Entries that a plan for these cases probably edits: those of their metrics, else what all of them read. */
function likelyEditedEntries(diagnoses: readonly Diagnosis[]): ReadonlySet<string> {
  const metrics = diagnoses.flatMap(({ interpretation }) => interpretation.metric ?? [])
  if (metrics.length > 0) return new Set(metrics.flatMap(({ id, snippet }) => [id, `snippet:${snippet}`]))
  const read = diagnoses.map(({ evaluation: { sample } }) =>
    sample.kind === 'error' || sample.read === 'all' ? [] : sample.read,
  )
  return new Set(read[0]?.filter((id) => read.every((ids) => ids.includes(id))))
}

function readsAny({ sample }: Evaluation, entries: ReadonlySet<string>): boolean {
  return sample.kind !== 'error' && (sample.read === 'all' || sample.read.some((id) => entries.has(id)))
}

/** Questions that are answered well from what the failing ones were answered from. */
function questionsToProtect(diagnoses: readonly Diagnosis[], { current }: RepairInput): string[] {
  const read = new Set(
    diagnoses.flatMap(({ evaluation: { sample } }) =>
      sample.kind === 'error' || sample.read === 'all' ? [] : sample.read,
    ),
  )
  return [...current.values()].flatMap((evaluation) => {
    return isPass(evaluation) && readsAny(evaluation, read) ? [evaluation.testCase.question] : []
  })
}

function diffOf(snapshot: Snapshot, plan: RepairPlan): string {
  return diffSnapshots(snapshot, applyEdits(snapshot, plan.edits))
    .map(({ patch }) => patch)
    .join('\n')
}
