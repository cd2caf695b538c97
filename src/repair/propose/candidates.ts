import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import type { Edit } from '../../edit/edit-types.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairCandidate } from '../model/candidate.js'
import type { Cluster, RepairTypes } from '../model/diagnosis.js'
import type { Explainer } from '../model/repair-domain.js'
import type { RepairPlan } from '../model/repair-plan.js'
import type { Planner } from './rule-planner.js'

/** How many cases of a cluster get their own plan if no plan makes all pass. */
const maxModels = 6

/** The input for making candidates. */
export interface CandidateContext<T extends RepairTypes> {
  readonly planner: Planner<T>
  readonly snapshot: Snapshot
  /** Keys of the candidates whose plans were all tried. */
  readonly exhausted: ReadonlySet<string>
  readonly words: Explainer<T>['words']
  /** Once it aborts, no candidates are made. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes candidates of clusters: a cluster whose expected answers cannot all be true loses those that most of
 * the others contradict, and clusters whose best plans make the same change become one candidate, tried
 * before its parts.
 */
export async function candidatesOf<T extends RepairTypes>(
  clusters: readonly Cluster<T>[],
  context: CandidateContext<T>,
): Promise<RepairCandidate<T>[]> {
  const { exhausted, words, signal } = context
  const single: RepairCandidate<T>[] = []
  for (const cluster of clusters) {
    if (signal?.aborted === true) return []
    single.push(candidateOf(cluster, context))
    // Lets an interrupt through: plans of many clusters take seconds.
    await eventLoopTurn()
  }
  const bySignature = new Map<string, RepairCandidate<T>[]>()
  for (const candidate of single) {
    const signature = candidate.plans[0]?.signature
    const [first] = candidate.diagnoses
    if (signature === undefined || signature === '' || first?.label !== 'wrong_definition') continue
    bySignature.set(signature, [...(bySignature.get(signature) ?? []), candidate])
  }
  const merged = [...bySignature].flatMap(([signature, some]) =>
    some.length > 1 ? [mergeCandidates(signature, some, words)] : [],
  )
  const usable = merged.filter(({ key }) => !exhausted.has(key))
  const covered = new Set(usable.flatMap(({ clusterKeys }) => clusterKeys))
  return [...usable, ...single.filter(({ key }) => !covered.has(key))].filter(
    ({ key }) => !exhausted.has(key),
  )
}

/**
 * Returns a cluster as a candidate for a model, without the plans of the rules and independent of other
 * clusters.
 */
export function candidateForModel<T extends RepairTypes>(
  cluster: Cluster<T>,
  context: Omit<CandidateContext<T>, 'exhausted'>,
): RepairCandidate<T> {
  return candidateOf(cluster, { ...context, exhausted: new Set([oneFaultKey(cluster)]) })
}

/** Returns the key for the part of a cluster that shows only one of two faults. */
function oneFaultKey({ key }: { readonly key: string }): string {
  return `${key}:named`
}

function candidateOf<T extends RepairTypes>(
  { key, diagnoses }: Cluster<T>,
  { planner, snapshot, exhausted }: CandidateContext<T>,
): RepairCandidate<T> {
  const all = planner.propose(diagnoses, snapshot)
  const candidate: RepairCandidate<T> = {
    key,
    clusterKeys: [key],
    diagnoses,
    plans: all.plans,
    abstained: all.abstained,
    contradicting: [],
  }
  const alone = withOneFault(candidate, planner, snapshot)
  if (alone !== undefined && !exhausted.has(alone.key)) return alone
  if (all.plans.length > 0 || diagnoses.length < 2) return candidate
  const sides = diagnoses
    .slice(0, maxModels)
    .flatMap((model) =>
      planner
        .propose([model], snapshot)
        .plans.map((plan) =>
          diagnoses.filter((each) => each === model || planner.isExpected(plan, each, snapshot)),
        ),
    )
  const [largest] = sides.sort((a, b) => b.length - a.length)
  if (largest === undefined) return candidate
  if (largest.length > 1 && largest.length * 2 > diagnoses.length) {
    const { plans, abstained } = planner.propose(largest, snapshot)
    const contradicting = diagnoses.filter((each) => !largest.includes(each))
    return { ...candidate, diagnoses: largest, plans, abstained, contradicting }
  }
  const split = sides.some((side) => !side.some((each) => largest.includes(each)))
  return split ? { ...candidate, contradicting: diagnoses } : candidate
}

/**
 * Returns the cases that show only one of two faults, if both must be repaired: the other is then found
 * separately.
 */
function withOneFault<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  planner: Planner<T>,
  snapshot: Snapshot,
): RepairCandidate<T> | undefined {
  const [plan] = candidate.plans
  const diagnoses = plan && planner.withOneFault?.(plan, candidate.diagnoses)
  if (diagnoses === undefined) return undefined
  const { plans } = planner.propose(diagnoses, snapshot)
  return plans.length === 0 ? undefined : { ...candidate, key: oneFaultKey(candidate), diagnoses, plans }
}

function mergeCandidates<T extends RepairTypes>(
  signature: string,
  candidates: readonly RepairCandidate<T>[],
  words: Explainer<T>['words'],
): RepairCandidate<T> {
  const plans = candidates.flatMap((candidate) => candidate.plans.slice(0, 1))
  const subjects = plans.map((plan) => plan.subject.replace(/^metric /, ''))
  const plan: RepairPlan<T> = {
    label: 'wrong_definition',
    subject: `metrics ${subjects.join(', ')}`,
    title: `${placesOf(plans, words.entries)}: ${signature}`,
    reasoning: `the same change was inferred from the ${words.expectedPlural} of ${subjects.join(', ')}, each on its own`,
    edits: distinct(plans.flatMap(({ edits }) => edits)),
    cases: plans.flatMap(({ cases }) => cases),
    goldExposed: true,
    size: plans.reduce((total, { size }) => total + size, 0),
    signature,
  }
  return {
    key: `same:${signature}`,
    clusterKeys: candidates.map(({ key }) => key),
    diagnoses: candidates.flatMap(({ diagnoses }) => diagnoses),
    plans: [plan],
    abstained: undefined,
    contradicting: candidates.flatMap(({ contradicting }) => contradicting),
  }
}

/** Returns how many files change; for a single one, which all the subjects share, its name. */
function placesOf(plans: readonly RepairPlan[], entries: string): string {
  const paths = [...new Set(plans.flatMap(({ edits }) => edits.map(({ path }) => path)))]
  const [only] = paths
  return paths.length === 1 && only !== undefined
    ? only.slice(only.lastIndexOf('/') + 1)
    : `${paths.length} ${entries}`
}

/** Removes equal edits: metrics may share a snippet, and changing it for one changes it for the other. */
function distinct(edits: readonly Edit[]): Edit[] {
  return [...new Map(edits.map((edit) => [JSON.stringify(edit), edit])).values()]
}
