import type { Snapshot } from '../../snapshot/snapshot.js'
import type { Evidence } from '../../store/record-types.js'
import type { RepairCandidate } from '../model/candidate.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { Evaluations } from '../model/repair-domain.js'
import type { RepairInput } from '../model/repair-input.js'
import type { RepairPlan } from '../model/repair-plan.js'
import { askTwins } from './ask-twins.js'
import { countPassing, evaluateOrThrow, passingCaseIds } from './evaluate-cases.js'
import { heldOutScore, type Repropose } from './held-out-score.js'
import { brokenBy, readersOf, wholeBenchmark } from './regression-check.js'

export interface Verification<T extends RepairTypes> {
  readonly evidence: Evidence
  /**
   * Parameters that the questions name and that no usable twin varied: nothing shows that changed answers
   * follow them.
   */
  readonly unvaried: readonly string[]
  /** For each twin that the agent had no answer to, the parameter whose value was changed in it. */
  readonly unanswered: readonly string[]
  /** Whether the cases have no value to vary, and their answers have the structure of the expected ones. */
  readonly isExact?: boolean | undefined
  /** Another value for which the changed answer differs from the expected one, in words. */
  readonly counterexample?: string | undefined
  /** Why an answer to the first target does not run; undefined if it runs. */
  readonly engineError?: string | undefined
  /** Evaluations with the current knowledge, as far as cases were asked. */
  readonly before: Evaluations<T>
  /** Evaluations with the candidate; empty if an earlier check failed already. */
  readonly after: Evaluations<T>
}

/** Checks a candidate, cheapest check first, and stops at the first one that fails. */
export async function verify<T extends RepairTypes>(
  plan: RepairPlan<T>,
  repair: RepairCandidate<T>,
  current: Evaluations<T>,
  snapshot: Snapshot,
  candidate: Snapshot,
  repropose: Repropose<T>,
  input: RepairInput<T>,
): Promise<Verification<T>> {
  const { benchmark, domain } = input
  const none = { passed: 0, of: 0 }
  const target = await countPassing(plan.cases, candidate, input)
  const start: Evidence = {
    target,
    twins: none,
    heldOut: none,
    affected: none,
    benchmark: { before: passingCaseIds(current.values()).size, after: 0, of: benchmark.length },
    broken: [],
  }
  const unchecked = { unvaried: [], unanswered: [], before: current, after: new Map() }
  if (target.passed < target.of) {
    const engineError = await refusalOf(plan.cases, candidate, input)
    return { ...unchecked, evidence: start, engineError }
  }

  const { counted, varied, toVary, unanswered, isConstant } = await askTwins(
    plan.cases,
    snapshot,
    candidate,
    input,
  )
  const unvaried = domain.prover.changesAnswers(plan, snapshot, candidate)
    ? [...toVary].filter((parameter) => !varied.has(parameter))
    : []
  const evidence = { ...start, twins: counted }
  const ofTwins = { ...unchecked, unvaried, unanswered }
  // What the cases passed with before is not disproved by a twin, and has to be tried on all cases like any other plan.
  if (counted.passed < counted.of && plan.undoesBreak !== true) return { ...ofTwins, evidence }

  const isFromModel = repair.heldOut !== undefined
  const counterexample = isFromModel
    ? await domain.prover.counterexample?.(plan, snapshot, candidate)
    : undefined
  if (counterexample !== undefined) return { ...ofTwins, evidence, counterexample }

  const heldOut = await heldOutScore(repair, snapshot, candidate, repropose, input)
  if (isFromModel && heldOut.passed < heldOut.of) return { ...ofTwins, evidence: { ...evidence, heldOut } }

  const sides = await wholeBenchmark(current, snapshot, candidate, input)
  const [passedBefore, passedAfter] = [
    passingCaseIds(sides.before.values()),
    passingCaseIds(sides.after.values()),
  ]
  const affected = readersOf(plan, sides, domain.prover.entriesEdited(plan))
  const isExact = isConstant && plan.cases.every(({ id }) => sides.after.get(id)?.score.by === 'structure')
  return {
    ...ofTwins,
    ...sides,
    isExact,
    evidence: {
      ...evidence,
      heldOut,
      affected: { passed: affected.filter((id) => passedAfter.has(id)).length, of: affected.length },
      benchmark: { before: passedBefore.size, after: passedAfter.size, of: benchmark.length },
      broken: brokenBy(sides),
    },
  }
}

/** Returns why a query that the candidate gives for a case does not run; undefined if all run. */
async function refusalOf<T extends RepairTypes>(
  cases: readonly T['case'][],
  candidate: Snapshot,
  input: RepairInput<T>,
): Promise<string | undefined> {
  for (const testCase of cases) {
    if (input.signal.aborted) return undefined
    const engineError = input.domain.prover.engineError?.(await evaluateOrThrow(testCase, candidate, input))
    if (engineError !== undefined) return engineError
  }
  return undefined
}
