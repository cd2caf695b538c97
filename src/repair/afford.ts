import type { SqlCase } from '../benchmark/case.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairInput } from './input.js'
import { knowledgeOf, meaningOf, tokensOf } from './knowledge.js'
import type { Diagnosis, RepairPlan } from './plan.js'
import { planned } from './planned.js'
import { makeTwins } from './twins/twins.js'
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
  for (const twin of await twinsOf(cases.slice(0, casesWithTwins), candidate, input))
    for (let number = 0; number < times; number++) await takesCall(twin, candidate, number)
  reserve(calls.size + leftOutAsks(unit, snapshot, candidate, propose, input)).release()
}

/** Twins that the agent will be asked about; that the data tells them from their originals is asked of the engine alone. */
async function twinsOf(
  cases: readonly SqlCase[],
  candidate: Snapshot,
  input: RepairInput,
): Promise<SqlCase[]> {
  const kb = knowledgeOf(candidate, input)
  const found: SqlCase[] = []
  for (const testCase of cases) {
    const meaning = meaningOf(testCase, kb, input)
    if (meaning.kind !== 'bound') continue
    const tokens = tokensOf(testCase.expectedSql, input.expectedDialect(testCase), input.parser)
    for (const twins of makeTwins(testCase, tokens, meaning).values()) {
      let taken = 0
      for (const twin of twins) {
        if (taken === twinsPerParameter || input.signal.aborted) break
        if (!(await input.distinguishes(twin.testCase, testCase))) continue
        found.push(twin.testCase)
        taken++
      }
    }
  }
  return found
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
