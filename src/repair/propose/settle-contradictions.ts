import type { RepairCandidate } from '../model/candidate.js'
import { caseOf, type RepairTypes } from '../model/diagnosis.js'
import type { RepairInput } from '../model/repair-input.js'
import { applyPlan, type RepairPlan } from '../model/repair-plan.js'
import type { RepairState } from '../model/repair-state.js'
import type { Planner } from './rule-planner.js'

/** How many plans, each made from one case, are run for all the cases. */
const maxSides = 6

/**
 * Returns a candidate without contradictions that are only ones of style: expected answers that are written in
 * two ways contradict each other only if no single plan gives the results of both. Where no plan has the form of
 * all, one that gives their results is the candidate's plan.
 */
export async function settleContradictions<T extends RepairTypes>(
  candidate: RepairCandidate<T>,
  { snapshot }: RepairState<T>,
  planner: Planner<T>,
  input: RepairInput<T>,
): Promise<RepairCandidate<T>> {
  const { diagnoses, contradicting, plans } = candidate
  const { givesResultsOf } = input.domain.rules
  const isOpen = contradicting.length > 0 || (plans.length === 0 && diagnoses.length > 1)
  if (!isOpen || givesResultsOf === undefined) return candidate
  const satisfied = async (plan: RepairPlan<T>): Promise<readonly T['diagnosis'][]> => {
    const after = applyPlan(plan, snapshot)
    const cases = [...new Set([...diagnoses, ...contradicting])]
    const passing = after === undefined ? new Set() : await givesResultsOf(cases.map(caseOf<T>), after)
    return cases.filter((each) => passing.has(caseOf<T>(each).id))
  }
  const [best] = plans
  if (best !== undefined) {
    const served = new Set(await satisfied(best))
    return { ...candidate, contradicting: contradicting.filter((each) => !served.has(each)) }
  }
  const sides = diagnoses
    .slice(0, maxSides)
    .flatMap((diagnosis) => planner.propose([diagnosis], snapshot).plans.slice(0, 1))
  for (const plan of sides) {
    if (input.signal.aborted) break
    const served = await satisfied(plan)
    if (served.length < diagnoses.length) continue
    return { ...candidate, plans: [{ ...plan, cases: diagnoses.map(caseOf<T>) }], contradicting: [] }
  }
  return candidate
}
