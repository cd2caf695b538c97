import type { SqlCase } from '../benchmark/case.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { type Evaluation, type Evaluator, slim } from './evaluate.js'
import { schedule } from './schedule.js'

/** A case after the baseline: evaluated, and asked again where its agent may answer differently. */
export interface BaselineCase {
  readonly evaluation: Evaluation
  readonly position: number
  /** Verdicts of every ask differ: reported as such, never repaired. */
  readonly flaky: boolean
}

export interface BaselineInput {
  readonly cases: readonly SqlCase[]
  readonly snapshot: Snapshot
  readonly evaluator: Evaluator
  readonly concurrency: number
  /** How often a failing case of an agent that is not deterministic is asked again. */
  readonly repeats: number
  /** Answers of an interrupted run, which are not asked again. */
  readonly known: ReadonlyMap<string, Evaluation>
  readonly signal: AbortSignal
  /** Whether passing cases are returned, too: a repair has to protect them. */
  readonly keepPassing: boolean
  readonly onCase: (result: BaselineCase) => void
}

/**
 * Every case once, in their order; failures again up to `repeats` times. Cases that the abort signal left out are
 * missing.
 */
export async function runBaseline(input: BaselineInput): Promise<Map<string, BaselineCase>> {
  const results = new Map<string, BaselineCase>()
  await schedule(input.cases, input.concurrency, input.signal, async (testCase, position) => {
    const known = input.known.get(testCase.id)
    const evaluation = known ?? (await input.evaluator.evaluate(testCase, input.snapshot, input.signal))
    const flaky = known === undefined && (await isFlaky(evaluation, input))
    // What an aborted agent or engine answered says nothing about the case.
    if (input.signal.aborted) return
    input.onCase({ evaluation, position, flaky })
    if (input.keepPassing || evaluation.score.verdict !== 'pass')
      results.set(testCase.id, { evaluation: slim(evaluation), position, flaky })
  })
  return new Map([...results].sort(([, a], [, b]) => a.position - b.position))
}

async function isFlaky(first: Evaluation, input: BaselineInput): Promise<boolean> {
  if (first.score.verdict !== 'fail' || input.evaluator.agent.deterministic) return false
  for (let again = 0; again < input.repeats && !input.signal.aborted; again++) {
    const next = await input.evaluator.evaluateAfresh(first.testCase, input.snapshot, input.signal)
    if (next.score.verdict !== first.score.verdict) return true
  }
  return false
}
