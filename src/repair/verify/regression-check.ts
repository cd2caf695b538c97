import { readsAny } from '../../contracts/agent-answer.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import { forEachConcurrent } from '../../run/for-each-concurrent.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { Findings } from '../model/case-findings.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { Evaluations } from '../model/repair-domain.js'
import type { AskContext, RepairInput } from '../model/repair-input.js'
import type { RepairPlan } from '../model/repair-plan.js'
import {
  alwaysPassesAfresh,
  evaluateWithRetry,
  isPass,
  passingCaseIds,
  throwIfBroken,
} from './evaluate-cases.js'

/** Evaluations of every case before and after a plan. */
export interface BothSides<T extends RepairTypes> {
  readonly before: Evaluations<T>
  readonly after: Evaluations<T>
}

/**
 * Evaluates every case with the candidate; those never asked before are asked with the current snapshot too.
 * If a case of a nondeterministic agent seems to break, it is asked again with both: it keeps its evaluation
 * if it was unstable before.
 */
export async function wholeBenchmark<T extends RepairTypes>(
  current: Evaluations<T>,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: AskContext<T> & Pick<RepairInput<T>, 'benchmark' | 'onProgress'>,
): Promise<BothSides<T>> {
  const { evaluator, signal } = context
  const [before, after] = [new Map(current), new Map<string, Evaluation<T>>()]
  let asked = 0
  await forEachConcurrent(context.benchmark, context.concurrency, signal, async (testCase) => {
    const known = before.get(testCase.id) ?? (await evaluateWithRetry(testCase, snapshot, context))
    before.set(testCase.id, known)
    const found = await evaluateWithRetry(testCase, candidate, context, known)
    // A case that was broken before is no evidence; of any other it must be known what becomes of it.
    const wasBroken = known.score.verdict === 'error' || known.score.isLate === true
    const first = wasBroken ? found : throwIfBroken(found, signal)
    const flipped = !evaluator.agent.deterministic && isPass(known) && !isPass(first)
    const excused = flipped && (await wasUnsure(known, first, snapshot, candidate, context))
    after.set(testCase.id, excused ? known : first)
    context.onProgress(++asked, context.benchmark.length)
  })
  return { before: inOrder(before), after: inOrder(after) }

  /** Returns them in the order of the benchmark: which answer came first must not show. */
  function inOrder(found: ReadonlyMap<string, Evaluation<T>>): Map<string, Evaluation<T>> {
    return new Map(
      context.benchmark.flatMap(({ id }) => {
        const evaluation = found.get(id)
        return evaluation === undefined ? [] : [[id, evaluation] as const]
      }),
    )
  }
}

/**
 * Reports whether a changed verdict is no evidence: now the candidate passes each time, or the old knowledge
 * fails as well.
 */
async function wasUnsure<T extends RepairTypes>(
  { testCase }: Evaluation<T>,
  first: Evaluation<T>,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: AskContext<T>,
): Promise<boolean> {
  if (first.score.verdict !== 'error' && !(await alwaysPassesAfresh(testCase, snapshot, context))) return true
  return alwaysPassesAfresh(testCase, candidate, context)
}

/**
 * Returns failing and unproven cases that a plan was not made for and that pass with it: they had the same
 * cause.
 */
export function newlyPassing<T extends RepairTypes>(
  { before, after }: BothSides<T>,
  plan: RepairPlan<T>,
  failing: RepairInput<T>['failing'],
  findings: Findings,
): string[] {
  const own = new Set(plan.cases.map((testCase) => testCase.id))
  const failed = new Set(failing.map(({ testCase }) => testCase.id))
  return [...before].flatMap(([id, { score }]) => {
    const bad = failed.has(id) ? findings.get(id)?.repairId === undefined : score.verdict === 'unproven'
    return bad && !own.has(id) && after.get(id)?.score.verdict === 'pass' ? [id] : []
  })
}

/**
 * Returns cases that got worse: passing ones that no longer pass, and unproven ones that are now known to be
 * wrong.
 */
export function brokenBy<T extends RepairTypes>({ before, after }: BothSides<T>): string[] {
  return [...before.values()].flatMap(({ testCase: { id }, score }) => {
    const now = after.get(id)?.score.verdict
    if (score.verdict === 'pass') return now === 'pass' ? [] : [id]
    return score.verdict === 'unproven' && now === 'fail' ? [id] : []
  })
}

/** Returns passing cases, besides the plan's own, that read an edited entry, or whose answer changed. */
export function readersOf<T extends RepairTypes>(
  plan: RepairPlan<T>,
  { before, after }: BothSides<T>,
  edited: ReadonlySet<string>,
): string[] {
  const targets = new Set(plan.cases.map((testCase) => testCase.id))
  return [...passingCaseIds(before.values())].filter((id) => {
    if (targets.has(id)) return false
    const now = after.get(id)
    if (answer(before.get(id)) !== answer(now)) return true
    return now !== undefined && readsAny(now.sample, edited)
  })
}

function answer(evaluation: Evaluation | undefined): string | undefined {
  const sample = evaluation?.sample
  if (sample === undefined) return undefined
  return sample.kind === 'answer' ? sample.text : sample.message
}
