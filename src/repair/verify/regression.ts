import type { Evaluation } from '../../run/evaluate.js'
import { forEachConcurrent } from '../../run/for-each-concurrent.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { CaseFinding, RepairInput } from '../input.js'
import type { RepairPlan } from '../plan.js'
import {
  alwaysPassesAfresh,
  evaluateWithRetry,
  isPass,
  passingCaseIds,
  throwIfBroken,
  type VerifyContext,
} from './context.js'

/**
 * Every case on the candidate; those never asked before are asked on the current snapshot too. A case of an agent that
 * is not deterministic that seems to break is asked again on both: it keeps its evaluation where it was not sure before.
 */
export async function evaluateBenchmark(
  snapshot: Snapshot,
  candidate: Snapshot,
  context: VerifyContext,
): Promise<Map<string, Evaluation>> {
  const { evaluator, current, signal } = context
  const after = new Map<string, Evaluation>()
  let asked = 0
  await forEachConcurrent(context.benchmark, context.concurrency, signal, async (testCase) => {
    const before = current.get(testCase.id) ?? (await evaluateWithRetry(testCase, snapshot, context))
    current.set(testCase.id, before)
    const found = await evaluateWithRetry(testCase, candidate, context, before)
    const first = isPass(before) ? throwIfBroken(found, signal) : found
    const flipped = !evaluator.agent.deterministic && isPass(before) && !isPass(first)
    const excused = flipped && (await isFlaky(before, first, snapshot, candidate, context))
    after.set(testCase.id, excused ? before : first)
    context.onProgress(++asked, context.benchmark.length)
  })
  return after
}

/** Whether a flip says nothing: the candidate gets it right each time now, or the old knowledge gets it wrong as well. */
async function isFlaky(
  { testCase }: Evaluation,
  first: Evaluation,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: VerifyContext,
): Promise<boolean> {
  if (first.score.verdict !== 'error' && !(await alwaysPassesAfresh(testCase, snapshot, context))) return true
  return alwaysPassesAfresh(testCase, candidate, context)
}

/** Failing and unproven cases that a plan was not made for and that pass with it: they had the same cause after all. */
export function newlyPassing(
  after: ReadonlyMap<string, Evaluation>,
  plan: RepairPlan,
  { failing, current }: Pick<RepairInput, 'failing' | 'current'>,
  findings: ReadonlyMap<string, CaseFinding>,
): string[] {
  const own = new Set(plan.cases.map((testCase) => testCase.id))
  const failed = new Set(failing.map(({ testCase }) => testCase.id))
  return [...current].flatMap(([id, { score }]) => {
    const bad = failed.has(id) ? findings.get(id)?.repairId === undefined : score.verdict === 'unproven'
    return bad && !own.has(id) && after.get(id)?.score.verdict === 'pass' ? [id] : []
  })
}

/** Cases that fare worse: passing ones that no longer do, and unproven ones that are now known to be wrong. */
export function brokenCases(
  before: ReadonlyMap<string, Evaluation>,
  after: ReadonlyMap<string, Evaluation>,
): string[] {
  return [...before.values()].flatMap(({ testCase: { id }, score }) => {
    const now = after.get(id)?.score.verdict
    if (score.verdict === 'pass') return now === 'pass' ? [] : [id]
    return score.verdict === 'unproven' && now === 'fail' ? [id] : []
  })
}

/** Passing cases beside the plan's own that read an edited entry, or are answered otherwise now. */
export function affectedCases(
  plan: RepairPlan,
  before: ReadonlyMap<string, Evaluation>,
  after: ReadonlyMap<string, Evaluation>,
): string[] {
  const targets = new Set(plan.cases.map((testCase) => testCase.id))
  return [...passingCaseIds(before.values())].filter((id) => {
    if (targets.has(id)) return false
    return answer(before.get(id)) !== answer(after.get(id)) || reads(after.get(id), plan)
  })
}

function reads(evaluation: Evaluation | undefined, plan: RepairPlan): boolean {
  const sample = evaluation?.sample
  if (sample === undefined || sample.kind === 'error') return false
  if (sample.read === 'all') return true
  const read = sample.read
  return plan.edits.some((edit) =>
    read.some(
      (entry) =>
        edit.path.endsWith(`/${entry.slice(entry.indexOf(':') + 1)}`) ||
        ('entry' in edit && edit.entry === entry),
    ),
  )
}

function answer(evaluation: Evaluation | undefined): string | undefined {
  const sample = evaluation?.sample
  if (sample === undefined) return undefined
  return sample.kind === 'sql' ? sample.sql : sample.message
}
