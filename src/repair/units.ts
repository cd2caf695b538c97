import type { Cluster, Diagnosis, Proposals, RepairPlan } from './plan.js'

/** Something to try as one repair: a cluster with its plans, or several clusters that need the same change. */
export interface RepairUnit {
  readonly key: string
  readonly clusterKeys: readonly string[]
  readonly diagnoses: readonly Diagnosis[]
  /** Smallest first. */
  readonly plans: readonly RepairPlan[]
  readonly abstained: string | undefined
  /** The same change was inferred from each of several entries on its own. */
  readonly independent: boolean
  /** Cases whose expected query contradicts the others of their cluster. */
  readonly contradicting: readonly Diagnosis[]
}

/**
 * Makes units of clusters: a cluster whose expected queries cannot all be true loses the one that the others
 * contradict, and clusters whose best plans make the same change become one unit, tried before its parts.
 */
export function planUnits(
  clusters: readonly Cluster[],
  proposeFor: (diagnoses: readonly Diagnosis[]) => Proposals,
  givenUp: ReadonlySet<string>,
): RepairUnit[] {
  const single = clusters.map((cluster) => unitOf(cluster, proposeFor))
  const bySignature = new Map<string, RepairUnit[]>()
  for (const unit of single) {
    const signature = unit.plans[0]?.signature
    if (signature === undefined || signature === '' || unit.diagnoses[0]?.label !== 'wrong_definition')
      continue
    bySignature.set(signature, [...(bySignature.get(signature) ?? []), unit])
  }
  const merged = [...bySignature].flatMap(([signature, units]) =>
    units.length > 1 ? [mergeUnits(signature, units)] : [],
  )
  const usable = merged.filter((unit) => !givenUp.has(unit.key))
  const covered = new Set(usable.flatMap((unit) => unit.clusterKeys))
  return [...usable, ...single.filter((unit) => !covered.has(unit.key))].filter(
    (unit) => !givenUp.has(unit.key),
  )
}

function unitOf(cluster: Cluster, proposeFor: (diagnoses: readonly Diagnosis[]) => Proposals): RepairUnit {
  const unit = (
    diagnoses: readonly Diagnosis[],
    { plans, abstained }: Proposals,
    contradicting: readonly Diagnosis[] = [],
  ): RepairUnit => {
    return {
      key: cluster.key,
      clusterKeys: [cluster.key],
      diagnoses,
      plans,
      abstained,
      independent: false,
      contradicting,
    }
  }
  const all = proposeFor(cluster.diagnoses)
  if (all.plans.length > 0 || cluster.diagnoses.length < 2) return unit(cluster.diagnoses, all)
  const without = cluster.diagnoses.flatMap((odd) => {
    const rest = cluster.diagnoses.filter((diagnosis) => diagnosis !== odd)
    const proposals = proposeFor(rest)
    return proposals.plans.length > 0 ? [{ odd, rest, proposals }] : []
  })
  const [only] = without
  if (only !== undefined && without.length === 1 && only.rest.length > 1)
    return unit(only.rest, only.proposals, [only.odd])
  return unit(cluster.diagnoses, all)
}

function mergeUnits(signature: string, units: readonly RepairUnit[]): RepairUnit {
  const plans = units.flatMap((unit) => unit.plans.slice(0, 1))
  const subjects = plans.map((plan) => plan.subject.replace(/^metric /, ''))
  const plan: RepairPlan = {
    label: 'wrong_definition',
    subject: `metrics ${subjects.join(', ')}`,
    title: `${subjects.length} snippets: ${signature}`,
    reasoning: `the same change was inferred from the expected queries of ${subjects.join(', ')}, each on its own`,
    edits: plans.flatMap((each) => each.edits),
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
    independent: true,
    contradicting: units.flatMap((unit) => unit.contradicting),
  }
}
