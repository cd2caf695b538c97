import type { RepairTypes } from '../../repair/model/diagnosis.js'
import type { RepairInput } from '../../repair/model/repair-input.js'
import type { BaselineCase } from '../../run/baseline.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import { findWriteObstacle } from '../project/write-obstacles.js'
import type { StartedRun } from './run-state.js'
import { uncommittedObstacle } from './uncommitted-obstacle.js'

/** The parts of a repair's input that do not depend on what its cases are about. */
export function commonRepairInput<T extends RepairTypes>(
  { request, snapshot, llm, deadline }: StartedRun,
  baseline: ReadonlyMap<string, BaselineCase<T>>,
) {
  const { config } = request.project
  return {
    snapshot,
    signal: AbortSignal.any([request.signal, deadline.signal]),
    concurrency: config.limits.concurrency,
    baseline: new Map(
      [...baseline].map(([id, { evaluation, flaky }]) => [id, flaky ? asFailing<T>(evaluation) : evaluation]),
    ),
    named: new Set(request.namedCaseIds),
    maxRetries: config.repair.maxRetries,
    minGrade: config.repair.minGrade,
    llmCalls: () => llm?.parts.budget.spent().calls ?? 0,
    writeObstacle: async (change) =>
      (await findWriteObstacle(config.root, change.path)) ?? (await uncommittedObstacle(change, request)),
    revertedIn: (change) => request.store.revertedIn(config.root, change),
    clock: () => performance.now(),
    onStart: (cases, causes) => request.listener({ kind: 'repair_started', cases, causes }),
    onProgress: (asked, total) =>
      request.listener({ kind: 'verifying', title: 'whole benchmark', asked, total }),
  } satisfies Partial<RepairInput<T>>
}

/**
 * Returns the evaluation of a failing case. A flaky case is neither protected nor counted as repaired,
 * whatever it answers next.
 */
function asFailing<T extends RepairTypes>(evaluation: Evaluation<T>): Evaluation<T> {
  return { ...evaluation, score: { ...evaluation.score, verdict: 'fail' } }
}
