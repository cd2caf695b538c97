import type { Edit } from '../edit/edit.js'
import type { Cluster, Diagnosis, Proposals, RepairPlan } from './plan.js'

/** Something to try as one repair: a cluster with its plans, or several clusters that need the same change. */
export interface RepairCandidate {
  readonly key: string
  readonly clusterKeys: readonly string[]
  readonly diagnoses: readonly Diagnosis[]
  /** Smallest first. */
  readonly plans: readonly RepairPlan[]
  readonly abstained: string | undefined
  /** Cases whose expected query contradicts the others of their cluster; all of them where no side is the larger. */
  readonly contradicting: readonly Diagnosis[]
  /** Cases that its plan was made without; absent: they are found by making the plan again without each. */
  readonly heldOut?: readonly Diagnosis[] | undefined
  /** How many of its cases its plan would have been chosen without, where that is known. */
  readonly crossValidation?: { readonly passed: number; readonly of: number } | undefined
}

/** How plans are made and tried on expected queries; nothing is asked for it. */
export interface Planner {
  readonly propose: (diagnoses: readonly Diagnosis[]) => Proposals
  /** Whether with the plan the knowledge says what the case expects. */
  readonly satisfies: (plan: RepairPlan, diagnosis: Diagnosis) => boolean
}

/** Cases of a cluster that each get a plan of their own when no plan serves all. */
const maxModels = 6

/**
 * Makes units of clusters: a cluster whose expected queries cannot all be true loses those that most of the others
 * contradict, and clusters whose best plans make the same change become one unit, tried before its parts.
 */
export function planCandidates(
  clusters: readonly Cluster[],
  planner: Planner,
  givenUp: ReadonlySet<string>,
): RepairCandidate[] {
  const single = clusters.map((cluster) => candidateOf(cluster, planner, givenUp))
  const bySignature = new Map<string, RepairCandidate[]>()
  for (const unit of single) {
    const signature = unit.plans[0]?.signature
    if (signature === undefined || signature === '' || unit.diagnoses[0]?.label !== 'wrong_definition')
      continue
    bySignature.set(signature, [...(bySignature.get(signature) ?? []), unit])
  }
  const merged = [...bySignature].flatMap(([signature, units]) =>
    units.length > 1 ? [mergeCandidates(signature, units)] : [],
  )
  const usable = merged.filter((unit) => !givenUp.has(unit.key))
  const covered = new Set(usable.flatMap((unit) => unit.clusterKeys))
  return [...usable, ...single.filter((unit) => !covered.has(unit.key))].filter(
    (unit) => !givenUp.has(unit.key),
  )
}

/** A cluster as a proposer is asked about it, that looks at neither the plans of the rules nor at other clusters. */
export function candidateForProposer(cluster: Cluster, planner: Planner): RepairCandidate {
  return candidateOf(cluster, planner, new Set([keyWithoutDefaults(cluster)]))
}

/** Of the part of a cluster that leaves nothing to a default. */
function keyWithoutDefaults({ key }: Pick<Cluster, 'key'>): string {
  return `${key}:named`
}

function candidateOf(cluster: Cluster, planner: Planner, givenUp: ReadonlySet<string>): RepairCandidate {
  const { key, diagnoses } = cluster
  const all = planner.propose(diagnoses)
  const unit: RepairCandidate = {
    key,
    clusterKeys: [key],
    diagnoses,
    plans: all.plans,
    abstained: all.abstained,
    contradicting: [],
  }
  const alone = restrictToNamedParameters(unit, planner)
  if (alone !== undefined && !givenUp.has(alone.key)) return alone
  if (all.plans.length > 0 || diagnoses.length < 2) return unit
  const sides = diagnoses.slice(0, maxModels).flatMap((model) => {
    return planner
      .propose([model])
      .plans.map((plan) => diagnoses.filter((each) => each === model || planner.satisfies(plan, each)))
  })
  const [largest] = sides.sort((a, b) => b.length - a.length)
  if (largest === undefined) return unit
  if (largest.length > 1 && largest.length * 2 > diagnoses.length) {
    const { plans, abstained } = planner.propose(largest)
    const contradicting = diagnoses.filter((each) => !largest.includes(each))
    return { ...unit, diagnoses: largest, plans, abstained, contradicting }
  }
  const split = sides.some((side) => !side.some((each) => largest.includes(each)))
  return split ? { ...unit, contradicting: diagnoses } : unit
}

/**
 * Where a definition and a default must both change, the cases that leave nothing to a default: they show what the
 * definition should be, and the default is found on its own behind it.
 */
function restrictToNamedParameters(unit: RepairCandidate, planner: Planner): RepairCandidate | undefined {
  const kinds = new Set(unit.plans[0]?.edits.map(({ kind }) => kind))
  if (!kinds.has('edit_metric') || !kinds.has('edit_snippet')) return undefined
  const naming = unit.diagnoses.filter(({ interpretation }) =>
    interpretation.bindings.every(({ span }) => span !== undefined),
  )
  if (naming.length === 0 || naming.length === unit.diagnoses.length) return undefined
  const { plans } = planner.propose(naming)
  return plans.length === 0 ? undefined : { ...unit, key: keyWithoutDefaults(unit), diagnoses: naming, plans }
}

function mergeCandidates(signature: string, units: readonly RepairCandidate[]): RepairCandidate {
  const plans = units.flatMap((unit) => unit.plans.slice(0, 1))
  const subjects = plans.map((plan) => plan.subject.replace(/^metric /, ''))
  const plan: RepairPlan = {
    label: 'wrong_definition',
    subject: `metrics ${subjects.join(', ')}`,
    title: `${describeChangedSnippets(plans)}: ${signature}`,
    reasoning: `the same change was inferred from the expected queries of ${subjects.join(', ')}, each on its own`,
    edits: distinct(plans.flatMap((each) => each.edits)),
    cases: plans.flatMap((each) => each.cases),
    goldExposed: true,
    size: plans.reduce((total, each) => total + each.size, 0),
    signature,
  }
  return {
    key: `same:${signature}`,
    clusterKeys: units.map((unit) => unit.key),
    diagnoses: units.flatMap((unit) => unit.diagnoses),
    plans: [plan],
    abstained: undefined,
    contradicting: units.flatMap((unit) => unit.contradicting),
  }
}

/** How many snippets change; for a single one, which all the metrics share, its name. */
function describeChangedSnippets(plans: readonly RepairPlan[]): string {
  const paths = [...new Set(plans.flatMap(({ edits }) => edits.map(({ path }) => path)))]
  const [only] = paths
  return paths.length === 1 && only !== undefined
    ? only.slice(only.lastIndexOf('/') + 1)
    : `${paths.length} snippets`
}

/** Metrics may share a snippet: what changes it for one changes it for the other. */
function distinct(edits: readonly Edit[]): Edit[] {
  return [...new Map(edits.map((edit) => [JSON.stringify(edit), edit])).values()]
}

/** Whether each cluster of the diagnoses has a case to leave out and one to learn from. */
export function hasTwoCasesPerCluster(diagnoses: readonly Diagnosis[]): boolean {
  return diagnoses.every((diagnosis) =>
    diagnoses.some((other) => other !== diagnosis && other.cluster === diagnosis.cluster),
  )
}
