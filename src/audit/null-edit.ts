import type { SqlCase } from '../benchmark/case.js'
import type { Verdict } from '../contracts/score.js'
import type { Evaluator } from '../run/evaluate.js'
import { forEachConcurrent } from '../run/for-each-concurrent.js'
import { type Snapshot, withFiles } from '../snapshot/snapshot.js'

/** Verdicts of one case with the knowledge as it is and after an edit that changes nothing, in the order asked. */
export interface NullEditCase {
  readonly id: string
  readonly before: readonly Verdict[]
  readonly after: readonly Verdict[]
}

export interface NullEditReport {
  readonly agent: string
  /** The agent says of itself that it answers alike each time. */
  readonly deterministic: boolean
  /** Times that a case was asked on each side. */
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
 * How much verdicts change when nothing has changed: the noise that a repair's proof has to rise above. Each case is
 * asked `trials` times on the knowledge and as often after a null edit, never from what is kept.
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

/** Whether the answers of a case were not all alike: some trial, on either side, came out otherwise than the first. */
export function isNoisy({ before, after }: NullEditCase): boolean {
  return new Set([...before, ...after]).size > 1
}

/** Whether the null edit would have been treated as one that breaks the case: it always passed, and then it did not. */
export function isFalseAlarm({ before, after }: NullEditCase): boolean {
  return before.every((verdict) => verdict === 'pass') && after.some((verdict) => verdict !== 'pass')
}

/** Other bytes, so that the agent is asked anew, and the same meaning: a line break more at the end of each file. */
function withNullEdit(snapshot: Snapshot, folder: string): Snapshot {
  const below = [...snapshot.files].filter(([path]) => path.startsWith(`${folder}/`))
  return withFiles(
    snapshot,
    new Map(below.map(([path, bytes]) => [path, Buffer.concat([bytes, Buffer.from('\n')])])),
  )
}
