import type { SqlCase } from '../benchmark/case.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairInput } from './input.js'
import type { Diagnosis, RepairPlan } from './plan.js'
import { planned } from './planned.js'
import type { Planner, RepairUnit } from './units.js'
import { asksOfUnsure } from './verify/context.js'
import { leftOutOnce } from './verify/held-out.js'

const casesWithTwins = 4
const twinsPerParameter = 2

/** How many twins are asked about at most: of some cases, for each parameter that the question names. */
export function mostTwins(diagnoses: readonly Diagnosis[]): number {
  const named = diagnoses
    .slice(0, casesWithTwins)
    .flatMap(({ interpretation }) => interpretation.bindings.filter(({ span }) => span !== undefined))
  return named.length * twinsPerParameter
}

/** How often a case is asked before its answer counts as right. */
export function timesUntilSure({ evaluator }: Pick<RepairInput, 'evaluator'>): number {
  return evaluator.agent.deterministic ? 1 : asksOfUnsure
}

/**
 * Throws `budget_exhausted` where verifying a plan takes more than is left: what cannot be verified is not begun, since
 * nothing would come of what it costs.
 */
export async function affordPlan(
  { cases }: Pick<RepairPlan, 'cases'>,
  unit: RepairUnit,
  snapshot: Snapshot,
  candidate: Snapshot,
  propose: Planner['propose'],
  input: RepairInput,
): Promise<void> {
  const { evaluator, benchmark, current, reserve } = input
  if (reserve === undefined) return
  const times = timesUntilSure(input)
  const calls = new Set<string>()
  /** False where the answer is known, or costs nothing. */
  const takesCall = async (testCase: SqlCase, on: Snapshot, number: number): Promise<boolean> => {
    const estimate = await evaluator.estimate(testCase, on, number)
    if (estimate !== undefined) calls.add(estimate.key)
    return estimate !== undefined
  }
  for (const testCase of cases)
    for (let number = 0; number < times; number++)
      // Begun before the run was cut off: part of what was set aside then is spent, and not to be had twice.
      if (!(await takesCall(testCase, candidate, number))) return
  const own = new Set(cases.map(({ id }) => id))
  for (const testCase of benchmark) {
    if (!own.has(testCase.id)) await takesCall(testCase, candidate, 0)
    if (!current.has(testCase.id)) await takesCall(testCase, snapshot, 0)
  }
  const unseen = leftOutAsks(unit, snapshot, candidate, propose, input)
  reserve(calls.size + times * mostTwins(unit.diagnoses) + unseen).release()
}

/** What asking each case takes again on the plan that is made without it: of the same plan, its first answer is known. */
function leftOutAsks(
  { diagnoses, leftOut }: RepairUnit,
  snapshot: Snapshot,
  candidate: Snapshot,
  propose: Planner['propose'],
  input: RepairInput,
): number {
  if (leftOut !== undefined) return 0
  const times = timesUntilSure(input)
  const asks = leftOutOnce(diagnoses, input.named).map(({ others }) => {
    const [plan] = propose(others).plans
    const found = plan === undefined ? undefined : planned(plan, snapshot)
    if (found === undefined) return 0
    return found.hash === candidate.hash ? times - 1 : times
  })
  return asks.reduce((sum, each) => sum + each, 0)
}
