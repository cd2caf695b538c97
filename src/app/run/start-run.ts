import { AutotestError } from '../../errors.js'
import { effectiveRepeatCount } from '../../run/baseline.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RunRecord } from '../../store/record-types.js'
import { reusableCases } from './reusable-answers.js'
import type { OpenedRun, RunParts, StartedRun } from './run-state.js'

/**
 * Records the run, or continues the interrupted one. Throws `usage` if that run's knowledge has changed
 * since.
 */
export function startRun(opened: OpenedRun, parts: RunParts): StartedRun {
  const { request, llm } = opened
  const run = recordStart(opened, parts)
  llm?.begin(run.id)
  const times = effectiveRepeatCount(parts.evaluator, request.times)
  const known = reusableCases(run, request, parts, times)
  const numbers = [...known.values()].flatMap(({ answers }) => [...answers.keys()])
  const answered = numbers.filter((number) => number < times).length
  return { ...opened, run, parts, times, known, answered }
}

function recordStart({ request, snapshot }: OpenedRun, { conditions }: RunParts): RunRecord {
  const { project, resume, store } = request
  if (resume !== undefined) {
    refuseChangedKnowledge(resume, snapshot)
    store.forgetAttempts(resume.id)
    return resume
  }
  const record: Omit<RunRecord, 'id'> = {
    root: project.config.root,
    startedAt: request.now().toISOString(),
    finishedAt: undefined,
    status: 'running',
    mode: request.mode,
    engine: conditions.engine,
    agent: conditions.agent,
    dialect: conditions.dialect,
    knowledge: snapshot.hash,
    knowledgeAfter: undefined,
    total: project.selected.length,
    options: request.options,
    decision: 'none',
    exitCode: undefined,
  }
  return { ...record, id: store.createRun(record) }
}

/** Before anything of the run is forgotten: it may be all that knows what was written. */
function refuseChangedKnowledge({ id, knowledge }: RunRecord, snapshot: Snapshot): void {
  if (knowledge === snapshot.hash) return
  throw new AutotestError('usage', `run ${id} cannot be resumed: the knowledge base has changed since`, {
    hint: 'Start a new run.',
  })
}
