import type { SqlCase } from '../benchmark/case.js'
import type { Verdict } from '../contracts/score.js'
import type { Evaluator } from '../run/evaluate-case.js'
import { forEachConcurrent } from '../run/for-each-concurrent.js'
import { type Snapshot, withFiles } from '../snapshot/snapshot.js'

/**
 * Verdicts of one case with the knowledge unchanged and after an edit that changes no meaning, in the order
 * asked.
 */
export interface NullEditCase {
  readonly id: string
  readonly before: readonly Verdict[]
  readonly after: readonly Verdict[]
}

export interface NullEditReport {
  readonly agent: string
  /** Whether the agent declares itself deterministic. */
  readonly deterministic: boolean
  /** How often each case was asked before and after the edit. */
  readonly trials: number
  /** In the order of the benchmark. */
  readonly cases: readonly NullEditCase[]
}

export interface NullEditInput {
  readonly cases: readonly SqlCase[]
  readonly snapshot: Snapshot
  /** Only files below it are edited. */
  readonly kbFolder: string
  readonly evaluator: Evaluator
  readonly trials: number
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Measures how often verdicts change when nothing has changed: the noise that the evidence for a repair must
 * exceed. Each case is asked `trials` times with the knowledge and as often after a null edit, never from the
 * cache.
 */
export async function nullEdit(input: NullEditInput): Promise<NullEditReport> {
  const { cases, snapshot, evaluator, trials, signal } = input
  const edited = withNullEdit(snapshot, input.kbFolder)
  const found = new Map<string, NullEditCase>()
  await forEachConcurrent(cases, input.concurrency, signal, async (testCase) => {
    const before = await verdicts(testCase, snapshot)
    const after = await verdicts(testCase, edited)
    if (signal.aborted) return
    found.set(testCase.id, { id: testCase.id, before, after })
    input.onProgress(found.size, cases.length)
  })
  const { agent } = evaluator
  return {
    agent: agent.name,
    deterministic: agent.deterministic,
    trials,
    cases: cases.flatMap(({ id }) => found.get(id) ?? []),
  }

  async function verdicts(testCase: SqlCase, on: Snapshot): Promise<Verdict[]> {
    const all: Verdict[] = []
    for (let trial = 0; trial < trials && !signal.aborted; trial++)
      all.push((await evaluator.evaluateAfresh(testCase, on, signal)).score.verdict)
    return all
  }
}

/**
 * Reports whether the answers of a case varied: some trial, before or after the edit, differed from the
 * first.
 */
export function isNoisy({ before, after }: NullEditCase): boolean {
  return new Set([...before, ...after]).size > 1
}

/**
 * Reports whether the null edit would have counted as breaking the case: it always passed before, and not
 * after.
 */
export function isFalseAlarm({ before, after }: NullEditCase): boolean {
  return before.every((verdict) => verdict === 'pass') && after.some((verdict) => verdict !== 'pass')
}

/**
 * Changes bytes, so that the agent is asked again, but not the meaning: adds a line break at the end of each
 * file.
 */
function withNullEdit(snapshot: Snapshot, folder: string): Snapshot {
  const below = [...snapshot.files].filter(([path]) => path.startsWith(`${folder}/`))
  return withFiles(
    snapshot,
    new Map(below.map(([path, bytes]) => [path, Buffer.concat([bytes, Buffer.from('\n')])])),
  )
}
