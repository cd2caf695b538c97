import type { SqlCase } from '../benchmark/case.js'
import { AutotestError } from '../errors.js'
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
  /** Only once every case was asked: a budget that ends early has measured as many as it could. */
  readonly repeatsLast?: boolean | undefined
  /** Answers of an interrupted run, which are not asked again. */
  readonly known: ReadonlyMap<string, Evaluation>
  readonly signal: AbortSignal
  /** Whether passing cases are returned, too: a repair has to protect them. */
  readonly keepPassing: boolean
  readonly onCase: (result: BaselineCase) => void
  /** The budget did not cover it all: the cases that are left are missing, and failures were not asked again. */
  readonly onExhausted?: ((error: AutotestError) => void) | undefined
}

/**
 * Every case once, in their order; failures again up to `repeats` times. Cases that the abort signal left out are
 * missing.
 */
export async function runBaseline(input: BaselineInput): Promise<Map<string, BaselineCase>> {
  const { evaluator, snapshot, signal, concurrency } = input
  const results = new Map<string, BaselineCase>()
  const unsure: { readonly evaluation: Evaluation; readonly position: number }[] = []
  let exhausted: AutotestError | undefined
  const affordable = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
    if (exhausted !== undefined) return undefined
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code !== 'budget_exhausted') throw error
      exhausted = error
      return undefined
    }
  }
  const finish = (evaluation: Evaluation, position: number, flaky: boolean): void => {
    // What an aborted agent or engine answered says nothing about the case.
    if (signal.aborted) return
    input.onCase({ evaluation, position, flaky })
    if (input.keepPassing || evaluation.score.verdict !== 'pass')
      results.set(evaluation.testCase.id, { evaluation: slim(evaluation), position, flaky })
  }
  await schedule(input.cases, concurrency, signal, async (testCase, position) => {
    const known = input.known.get(testCase.id)
    const evaluation = known ?? (await affordable(() => evaluator.evaluate(testCase, snapshot, signal)))
    if (evaluation === undefined) return
    const sure = known !== undefined || evaluation.score.verdict !== 'fail' || evaluator.agent.deterministic
    if (sure) finish(evaluation, position, false)
    else if (input.repeatsLast === true) unsure.push({ evaluation, position })
    else finish(evaluation, position, await isFlaky(evaluation, input))
  })
  await schedule(unsure, concurrency, signal, async ({ evaluation, position }) => {
    const flaky = await affordable(() => isFlaky(evaluation, input))
    finish(evaluation, position, flaky === true)
  })
  if (exhausted !== undefined) {
    if (input.onExhausted === undefined) throw exhausted
    input.onExhausted(exhausted)
  }
  return new Map([...results].sort(([, a], [, b]) => a.position - b.position))
}

async function isFlaky(first: Evaluation, input: BaselineInput): Promise<boolean> {
  for (let again = 0; again < input.repeats && !input.signal.aborted; again++) {
    const next = await input.evaluator.evaluateAfresh(first.testCase, input.snapshot, input.signal)
    if (next.score.verdict !== first.score.verdict) return true
  }
  return false
}
