import { AutotestError } from '../../errors.js'
import type { RepairTypes } from '../../repair/model/diagnosis.js'
import { effectiveRepeatCount, type KnownCase } from '../../run/baseline.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { RunRecord } from '../../store/record-types.js'
import type { Deadline } from './deadline.js'
import type { ExecuteRequest } from './execute-request.js'
import type { LlmRun } from './llm-run.js'
import { reusableCases } from './reusable-answers.js'
import type { RunParts } from './run-domain.js'

/** The state of a run before its agent and engine are opened. */
export interface OpenedRun {
  readonly request: ExecuteRequest
  readonly deadline: Deadline
  /** The initial knowledge of the run. */
  readonly snapshot: Snapshot
  /** Paths of knowledge files that could not be read. */
  readonly unread: readonly string[]
  /** Absent: no part of the run uses a model. */
  readonly llm: LlmRun | undefined
}

/** A run that is recorded in the run database: the input of each of its steps. */
export interface StartedRun<T extends RepairTypes = RepairTypes> extends OpenedRun {
  readonly run: RunRecord
  readonly parts: RunParts<T>
  /** How often each case is actually asked. */
  readonly times: number
  /** The reusable results of an interrupted run, by case. */
  readonly known: ReadonlyMap<string, KnownCase<T>>
  /** The number of known answers among those to ask for. */
  readonly answered: number
}

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
