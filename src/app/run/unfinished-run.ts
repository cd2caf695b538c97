import { AutotestError } from '../../errors.js'
import type { RunRecord } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'

/** How many runs `--resume` without a name searches. */
const latestRuns = 100

/**
 * Returns the run that this process resumes: the one named, or, without a name, the latest unfinished one of
 * the project. Throws `run_unknown` if there is none, with what can be done instead, and `project_locked` if
 * another process still executes it.
 */
export function unfinishedRun(store: RunStore, name: string | undefined, root: string): RunRecord {
  const id = name === undefined ? latestUnfinished(store, root).id : store.resolveRun(name)
  store.holdRun(id)
  // Read again: it may have ended since it was found.
  return resumableRun(store, id)
}

/**
 * Reports whether the run has unanswered questions about its initial knowledge: it was interrupted, its
 * budget or time ended, or agent or engine failed.
 */
export function canResume(run: RunRecord): boolean {
  return run.status === 'running' || run.status === 'interrupted' || (endedEarly(run) && !hasWritten(run))
}

/** Reports whether the run ended before everything was asked: exit code 3 or 4, or an error ended it. */
function endedEarly({ status, exitCode }: RunRecord): boolean {
  return status === 'failed' || (status === 'finished' && (exitCode === 3 || exitCode === 4))
}

/** Reports whether the run wrote repairs. Plans of a dry run that were not applied are made again. */
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
  throw nothingToResumeError(
    `the last run, ${ended.id}, is finished${describeUncommitted(ended)}`,
    `${askAgainHint}${others}`,
  )
}

function resumableRun(store: RunStore, id: string): RunRecord {
  const run = store.runDetail(id)?.run
  if (run === undefined) throw new Error(`run ${id} was found and is not there`)
  if (canResume(run)) return run
  throw endedEarly(run)
    ? alreadyRepairedError(run)
    : nothingToResumeError(`run ${id} is finished${describeUncommitted(run)}`, askAgainHint)
}

/** Says that repairs wait in the working tree: who interrupts the commits finds them there. */
function describeUncommitted({ id, mode, decision }: RunRecord): string {
  return mode === 'repair' && decision === 'pending'
    ? `, and repairs of it are in the working tree, not committed: commit what git status shows, or undo it with autotest revert ${id}`
    : ''
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
