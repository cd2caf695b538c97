import type { SqlCase } from '../benchmark/case.js'
import type { Evaluation, Evaluator } from '../run/evaluate.js'
import { schedule } from '../run/schedule.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairContext } from './knowledge.js'

/** What it takes to ask cases on candidates. */
export interface VerifyContext extends RepairContext {
  readonly evaluator: Evaluator
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Every case of the benchmark, whatever the filters. */
  readonly benchmark: readonly SqlCase[]
  /** Latest evaluation on the current snapshot by case id; cases never asked are missing. */
  readonly current: Map<string, Evaluation>
  /** Cases the user named: never left out while proposing. */
  readonly named: ReadonlySet<string>
  /** Whether the rows of an expected query are a usable twin's: not empty, and not those of the original. */
  readonly distinguishes: (twin: SqlCase, original: SqlCase) => Promise<boolean>
  readonly onProgress: (asked: number, total: number) => void
}

/** How often an agent that is not deterministic is asked before its answer counts as right. */
export const asksOfUnsure = 3

/** How many of the cases pass: each time they are asked. */
export async function passes(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: VerifyContext,
): Promise<{ passed: number; of: number }> {
  let passed = 0
  await schedule(cases, context.concurrency, context.signal, async (testCase) => {
    if (await alwaysPasses(testCase, snapshot, context)) passed++
  })
  return { passed, of: cases.length }
}

/**
 * Whether every answer is right: one of a deterministic agent, several of another. The first of them is the one that
 * the whole benchmark is told: it is not asked once more.
 */
export async function alwaysPasses(
  testCase: SqlCase,
  snapshot: Snapshot,
  { evaluator, signal }: VerifyContext,
): Promise<boolean> {
  if (!isPass(await evaluator.evaluate(testCase, snapshot, signal))) return false
  return evaluator.agent.deterministic || passesAgain(testCase, snapshot, asksOfUnsure - 1, evaluator, signal)
}

/** As `alwaysPasses`, of a case whose first answer is doubted: none of those known counts. */
export async function alwaysPassesNow(
  testCase: SqlCase,
  snapshot: Snapshot,
  { evaluator, signal }: VerifyContext,
): Promise<boolean> {
  return passesAgain(testCase, snapshot, asksOfUnsure, evaluator, signal)
}

async function passesAgain(
  testCase: SqlCase,
  snapshot: Snapshot,
  times: number,
  evaluator: Evaluator,
  signal: AbortSignal,
): Promise<boolean> {
  for (let asked = 0; asked < times; asked++)
    if (!isPass(await evaluator.evaluateAfresh(testCase, snapshot, signal))) return false
  return true
}

export function isPass(evaluation: Evaluation | undefined): boolean {
  return evaluation?.score.verdict === 'pass'
}

export function passing(evaluations: Iterable<Evaluation>): Set<string> {
  return new Set([...evaluations].filter(isPass).map(({ testCase }) => testCase.id))
}
