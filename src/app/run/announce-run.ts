import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Estimate } from '../../llm/llm-interface.js'
import { nondeterministicRepetitions } from '../../repair/verify/evaluate-cases.js'
import { selectRepairers } from '../models/llm-requirements.js'
import { flakyRepeats } from './baseline-step.js'
import type { ExecuteRequest, StartedRun } from './run-state.js'

/** Reports that the run has begun, and where its options or budgets have another effect than expected. */
export async function announceRun(started: StartedRun): Promise<void> {
  const { request, run, parts, times, answered, llm } = started
  const { listener, project } = request
  const asks = { cases: project.selected.length, times }
  const what = times === 1 ? 'cases' : 'answers'
  listener({ kind: 'run_started', run, resumed: { known: answered, of: asks.cases * times, what } })
  await announceHistoryGap(request)
  await announceUncommittedRepairs(request)
  if (times < request.times)
    listener({
      kind: 'note',
      text:
        parts.evaluator.agent.dependent === undefined
          ? `agent ${parts.evaluator.agent.name} is deterministic: every case is asked once, --repeat has no effect`
          : `agent ${parts.evaluator.agent.name} ${parts.evaluator.agent.dependent}: its answers would not be independent, so every case is asked once and --repeat has no effect (set llm.roles.sql.temperature to measure pass@k)`,
    })
  if (llm === undefined || project.config.agent.kind !== 'llm') return
  llm.noteCallBudget(asks, answered, minimumRepairCalls(started))
  await llm.noteSizeBudget(() => estimatesOf(started))
}

/** Reports at the head of a run that may repair where the known history ends: what was meant before is unknown. */
async function announceHistoryGap({ mode, project: { config }, listener }: ExecuteRequest): Promise<void> {
  if (mode === 'evaluate') return
  const { describeHistoryGap, historyGap } = await import('../../git/history-gap.js')
  const gap = await historyGap(config.root, config.kb)
  if (gap !== undefined) listener({ kind: 'note', text: describeHistoryGap(gap) })
}

/** Reports repairs of earlier runs that are in the files and in no commit: with them, every case may pass. */
async function announceUncommittedRepairs({ mode, project, store, listener }: ExecuteRequest): Promise<void> {
  if (mode !== 'repair') return
  const { root, kb, agents } = project.config
  const { inspectRepository } = await import('../../git/inspect-repository.js')
  const git = await inspectRepository(root)
  if (git.kind === 'none') return
  for (const path of git.dirtyPaths.filter((each) =>
    [kb, agents].some((folder) => each.startsWith(`${folder}/`)),
  )) {
    const after = store.writesTo(root, path)[0]?.after
    const file = join(root, path)
    if (after == null || !existsSync(file) || Buffer.compare(await readFile(file), after) !== 0) continue
    const text = `${path} has a repair of an earlier run that is not committed: commit it, or undo it with autotest revert RUN (autotest runs lists them)`
    listener({ kind: 'note', text })
  }
}

/**
 * Returns the minimal number of model calls of any repair: its failure again, a plan if no rules may make one
 * first, its case with the plan, and the cases that a filter left out. Undefined if nothing is repaired, or
 * if a resumed run may have made these calls already.
 */
function minimumRepairCalls({ request, parts, times }: StartedRun): number | undefined {
  const { mode, resume, env, replay } = request
  const { config, benchmark, selected } = request.project
  if (mode === 'evaluate' || resume !== undefined || config.repair.maxRetries === 0) return undefined
  const { deterministic } = parts.evaluator.agent
  const again = deterministic ? 0 : Math.max(0, flakyRepeats + 1 - times)
  const plan = selectRepairers(config, { env, replay })[0] === 'rules' ? 0 : 1
  const proof = deterministic ? 1 : nondeterministicRepetitions
  return again + plan + proof + benchmark.length - selected.length
}

/** Returns the estimates of all answers that remain to be asked for. */
async function estimatesOf({
  request,
  parts,
  snapshot,
  times,
  known,
}: StartedRun): Promise<(Estimate | undefined)[]> {
  const estimates: (Estimate | undefined)[] = []
  for (const testCase of request.project.selected)
    for (let number = 0; number < times; number++)
      if (known.get(testCase.id)?.answers.has(number) !== true)
        estimates.push(await parts.evaluator.estimate(testCase, snapshot, number))
  return estimates
}
