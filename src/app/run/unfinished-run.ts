import { AutotestError } from '../../errors.js'
import type { RunRecord } from '../../store/records.js'
import type { RunStore } from '../../store/store.js'

/** Where `--resume` without a name looks. */
const latestRuns = 100

/**
 * The run that this process goes on with: the one named, or, without a name, the latest of the project that is not at
 * its end. Throws `run_unknown` where there is none, saying what can be done instead, and `project_locked` where another
 * process still goes on with it.
 */
export function unfinishedRun(store: RunStore, name: string | undefined, root: string): RunRecord {
  const id = name === undefined ? latestUnfinished(store, root).id : store.resolveRun(name)
  store.holdRun(id)
  // Read now: it may have come to its end since it was found.
  return resumableRun(store, id)
}

/**
 * Whether something of the run is still to be asked, about the knowledge that it began with: it was interrupted, its
 * budget or time ended, or agent or engine broke.
 */
export function canResume(run: RunRecord): boolean {
  return run.status === 'running' || run.status === 'interrupted' || (endedEarly(run) && !hasWritten(run))
}

/** Came to its end without all that it was to ask: exit 3 or 4, or something ended it. */
function endedEarly({ status, exitCode }: RunRecord): boolean {
  return status === 'failed' || (status === 'finished' && (exitCode === 3 || exitCode === 4))
}

/** Plans of a dry run that were not applied are made again. */
function hasWritten({ mode, decision, knowledge, knowledgeAfter }: RunRecord): boolean {
  if (mode === 'dry_run') return decision !== 'none' && decision !== 'pending'
  return decision !== 'none' || (knowledgeAfter !== undefined && knowledgeAfter !== knowledge)
}

function latestUnfinished(store: RunStore, root: string): RunRecord {
  const runs = store
    .listRuns({ limit: latestRuns })
    .filter((run) => run.root === undefined || run.root === root)
  const ended = runs.find((run) => run.status === 'finished' || (run.status === 'failed' && hasWritten(run)))
  // A run that a later finished one replaces is only resumed by name.
  const found = runs.find((run) => (run.status !== 'finished' || run === ended) && canResume(run))
  if (found !== undefined) return found
  if (ended === undefined)
    throw nothingToResumeError(
      'no interrupted run',
      'There is no run of this project yet: start one with autotest.',
    )
  if (endedEarly(ended)) throw alreadyRepairedError(ended)
  const earlier = runs.find(canResume)
  const others =
    earlier === undefined ? '' : ` Run ${earlier.id} can be continued: autotest --resume ${earlier.id}.`
  throw nothingToResumeError(`the last run, ${ended.id}, is finished`, `${askAgainHint}${others}`)
}

function resumableRun(store: RunStore, id: string): RunRecord {
  const run = store.runDetail(id)?.run
  if (run === undefined) throw new Error(`run ${id} was found and is not there`)
  if (canResume(run)) return run
  throw endedEarly(run)
    ? alreadyRepairedError(run)
    : nothingToResumeError(`run ${id} is finished`, askAgainHint)
}

const askAgainHint = 'autotest --last-failed reruns what did not pass in the last run; see autotest runs.'

function alreadyRepairedError({ id }: RunRecord): AutotestError {
  return nothingToResumeError(
    `run ${id} has changed the knowledge base since it began`,
    'Run the remaining cases with the repaired knowledge: autotest --last-failed.',
  )
}

function nothingToResumeError(why: string, hint: string): AutotestError {
  return new AutotestError('run_unknown', `nothing to resume: ${why}`, { hint })
}
