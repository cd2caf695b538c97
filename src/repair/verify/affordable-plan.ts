import { readsAny } from '../../contracts/agent-answer.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RepairCandidate } from '../model/candidate.js'
import type { RepairTypes } from '../model/diagnosis.js'
import { crossValidationSplits } from '../model/held-out-split.js'
import type { RepairInput } from '../model/repair-input.js'
import { applyPlan, type RepairPlan } from '../model/repair-plan.js'
import type { RepairState } from '../model/repair-state.js'
import { casesWithTwins } from './ask-twins.js'
import { nondeterministicRepetitions } from './evaluate-cases.js'
import type { Repropose } from './held-out-score.js'

/** Returns how often a case is asked before its answer counts as right. */
function timesUntilSure<T extends RepairTypes>({ evaluator }: Pick<RepairInput<T>, 'evaluator'>): number {
  return evaluator.agent.deterministic ? 1 : nondeterministicRepetitions
}

/** Returns the number of agent calls for verifying a future plan for the entries of a cause. */
export function asksToVerify<T extends RepairTypes>(
  shown: readonly T['diagnosis'][],
  heldOut: readonly T['diagnosis'][],
  { current }: RepairState<T>,
  input: RepairInput<T>,
): number {
  const { prover } = input.domain
  const cases = shown.length + heldOut.length + prover.mostTwins(shown.slice(0, casesWithTwins))
  const own = new Set([...shown, ...heldOut].map(({ evaluation }) => evaluation.testCase.id))
  const about = prover.entriesConcerned(shown)
  const readers = [...current.values()].filter(
    ({ testCase, sample }) => !own.has(testCase.id) && readsAny(sample, about),
  )
  // If cases were filtered, the others are asked before an accept, with the present knowledge.
  return timesUntilSure(input) * cases + readers.length + (input.benchmark.length - current.size)
}

/**
 * Throws `budget_exhausted` if verifying a plan takes more than is left: a verification that cannot be
 * completed is not begun, since its cost would be wasted.
 */
export async function affordPlan<T extends RepairTypes>(
  { cases }: RepairPlan<T>,
  repair: RepairCandidate<T>,
  { snapshot, current }: RepairState<T>,
  candidate: Snapshot,
  repropose: Repropose<T>,
  input: RepairInput<T>,
): Promise<void> {
  const { evaluator, benchmark, reserve, domain } = input
  if (reserve === undefined) return
  const times = timesUntilSure(input)
  const calls = new Set<string>()
  /** False if the answer is known, or costs nothing. */
  const takesCall = async (testCase: T['case'], on: Snapshot, number: number): Promise<boolean> => {
    const estimate = await evaluator.estimate(testCase, on, number)
    if (estimate !== undefined) calls.add(estimate.key)
    return estimate !== undefined
  }
  for (const testCase of cases)
    for (let number = 0; number < times; number++)
      // Started before the run was interrupted: part of that reservation is spent and cannot be reserved
      // again.
      if (!(await takesCall(testCase, candidate, number))) return
  const own = new Set(cases.map(({ id }) => id))
  for (const testCase of benchmark) {
    if (!own.has(testCase.id)) await takesCall(testCase, candidate, 0)
    if (!current.has(testCase.id)) await takesCall(testCase, snapshot, 0)
  }
  // Whether twins differ from their originals is determined by the engine alone.
  const { twins } = await domain.prover.twins(cases.slice(0, casesWithTwins), candidate, candidate, new Set())
  for (const { testCase } of twins)
    for (let number = 0; number < times; number++) await takesCall(testCase, candidate, number)
  reserve(calls.size + leftOutAsks(repair, snapshot, candidate, repropose, input)).release()
}

/**
 * Returns the cost of asking each case again with the plan made without it; if that is the same plan, its
 * first answer is known.
 */
function leftOutAsks<T extends RepairTypes>(
  { diagnoses, crossValidation }: RepairCandidate<T>,
  snapshot: Snapshot,
  candidate: Snapshot,
  repropose: Repropose<T>,
  input: RepairInput<T>,
): number {
  if (crossValidation !== undefined) return 0
  const times = timesUntilSure(input)
  const asks = crossValidationSplits<T>(diagnoses, input.named).map(({ others }) => {
    const [plan] = repropose(others, snapshot).plans
    const found = plan && applyPlan(plan, snapshot)
    if (found === undefined) return 0
    return found.hash === candidate.hash ? times - 1 : times
  })
  return asks.reduce((sum, each) => sum + each, 0)
}
