import type { SqlCase } from '../benchmark/case.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairInput } from './input.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from './knowledge.js'
import type { Diagnosis, RepairPlan } from './plan.js'
import { applyPlan } from './planned.js'
import { makeTwins } from './twins/twins.js'
import type { Planner, RepairCandidate } from './units.js'
import { nondeterministicRepetitions } from './verify/context.js'
import { crossValidationSplits } from './verify/held-out.js'

const casesWithTwins = 4
const twinsPerParameter = 2

/** How many twins are asked about at most: of some cases, for each parameter that the question names. */
export function maxTwinCount(diagnoses: readonly Diagnosis[]): number {
  const named = diagnoses
    .slice(0, casesWithTwins)
    .flatMap(({ interpretation }) => interpretation.bindings.filter(({ span }) => span !== undefined))
  return named.length * twinsPerParameter
}

/** How often a case is asked before its answer counts as right. */
export function requiredRepetitions({ evaluator }: Pick<RepairInput, 'evaluator'>): number {
  return evaluator.agent.deterministic ? 1 : nondeterministicRepetitions
}

/**
 * Throws `budget_exhausted` where verifying a plan takes more than is left: what cannot be verified is not begun, since
 * nothing would come of what it costs.
 */
export async function ensureVerificationBudget(
  { cases }: Pick<RepairPlan, 'cases'>,
  unit: RepairCandidate,
  snapshot: Snapshot,
  candidate: Snapshot,
  propose: Planner['propose'],
  input: RepairInput,
): Promise<void> {
  const { evaluator, benchmark, current, reserve } = input
  if (reserve === undefined) return
  const times = requiredRepetitions(input)
  const calls = new Set<string>()
  /** False where the answer is known, or costs nothing. */
  const countsAsCall = async (testCase: SqlCase, on: Snapshot, number: number): Promise<boolean> => {
    const estimate = await evaluator.estimate(testCase, on, number)
    if (estimate !== undefined) calls.add(estimate.key)
    return estimate !== undefined
  }
  for (const testCase of cases)
    for (let number = 0; number < times; number++)
      // Begun before the run was cut off: part of what was set aside then is spent, and not to be had twice.
      if (!(await countsAsCall(testCase, candidate, number))) return
  const own = new Set(cases.map(({ id }) => id))
  for (const testCase of benchmark) {
    if (!own.has(testCase.id)) await countsAsCall(testCase, candidate, 0)
    if (!current.has(testCase.id)) await countsAsCall(testCase, snapshot, 0)
  }
  for (const twin of await twinsOf(cases.slice(0, casesWithTwins), candidate, input))
    for (let number = 0; number < times; number++) await countsAsCall(twin, candidate, number)
  reserve(calls.size + crossValidationCalls(unit, snapshot, candidate, propose, input)).release()
}

/** Twins that the agent will be asked about; that the data tells them from their originals is asked of the engine alone. */
async function twinsOf(
  cases: readonly SqlCase[],
  candidate: Snapshot,
  input: RepairInput,
): Promise<SqlCase[]> {
  const kb = knowledgeBaseOf(candidate, input)
  const found: SqlCase[] = []
  for (const testCase of cases) {
    const meaning = interpretationOf(testCase, kb, input)
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
function crossValidationCalls(
  { diagnoses, crossValidation }: RepairCandidate,
  snapshot: Snapshot,
  candidate: Snapshot,
  propose: Planner['propose'],
  input: RepairInput,
): number {
  if (crossValidation !== undefined) return 0
  const times = requiredRepetitions(input)
  const asks = crossValidationSplits(diagnoses, input.named).map(({ others }) => {
    const [plan] = propose(others).plans
    const found = plan === undefined ? undefined : applyPlan(plan, snapshot)
    if (found === undefined) return 0
    return found.hash === candidate.hash ? times - 1 : times
  })
  return asks.reduce((sum, each) => sum + each, 0)
}
