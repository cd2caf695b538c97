import type { Config } from '../../config/config.js'
import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { findFilesChangedSince, openJournal, restoreFiles } from '../../edit/journal.js'
import { AutotestError } from '../../errors.js'
import type { AttemptRecord, RunDetail } from '../../store/record-types.js'
import type { StoreRequest } from '../project/project-request.js'
import { openProjectStore, type ProjectStore } from '../project/project-store.js'
import { recordRejections } from '../project/record-rejections.js'
import { withProjectLock } from '../project/with-project-lock.js'
import { writablePlaces } from '../project/writable-places.js'
import type { RepairsContext } from './repairs-context.js'
import { settleHeldGates } from './settle-held-gates.js'

export interface RevertRequest extends StoreRequest {
  /** Id of a run, the start of one, or `last`. */
  readonly run: string
  /** Only this repair; undefined: all of them. */
  readonly repair?: string | undefined
  /** Why they are not wanted: recorded, so that later runs do not propose them again. */
  readonly reason?: string | undefined
}

export type RevertResult =
  /** Why there is nothing to revert, in words. */
  | { readonly kind: 'nothing'; readonly reason: string; readonly lastWriting?: string | undefined }
  | {
      readonly kind: 'reverted'
      readonly repairs: readonly AttemptRecord[]
      /** As recorded in the decisions file. */
      readonly rejected: readonly RejectedRepair[]
    }

/**
 * Restores the exact bytes from before the repairs of a run, or from before one of them. Throws
 * `journal_conflict` if a file was changed since.
 */
export async function revertRun(request: RevertRequest, context: RepairsContext): Promise<RevertResult> {
  const project = await openProjectStore(request, context.now)
  const { store } = project
  try {
    const runId = store.resolveRun(request.run)
    const detail = store.runDetail(runId)
    if (detail === undefined) return { kind: 'nothing', reason: `Run ${runId} wrote nothing` }
    const { root } = project.config
    // The lock first: what a killed run was writing is restored under it.
    return await withProjectLock(root, context.onNote, async (): Promise<RevertResult> => {
      const chosen = await chooseRepairs(detail, request.repair, project.config, context)
      if (chosen.kind === 'nothing') return { ...chosen, lastWriting: lastWritingRun(store) }
      const { repairs } = chosen
      const reason = request.reason ?? 'reverted'
      await restore(chosen, detail, request, project)
      const rejected = await recordRejections({ root, store, runId, repairs, reason, now: context.now })
      if (request.repair === undefined) settleHeldGates(store, root, runId, 'revert', context.now())
      return { kind: 'reverted', repairs, rejected }
    })
  } finally {
    store.close()
  }
}

/** How many runs are looked through for one that wrote. */
const runsSearched = 100

/** Returns the newest run whose repairs are in the files. */
function lastWritingRun(store: ProjectStore['store']): string | undefined {
  return store
    .listRuns({ limit: runsSearched })
    .find(({ decision }) => decision === 'committed' || decision === 'kept')?.id
}

interface ChosenRepairs {
  readonly kind: 'chosen'
  readonly repairs: readonly AttemptRecord[]
  /** Every repair that the run wrote. */
  readonly written: readonly AttemptRecord[]
}

async function chooseRepairs(
  detail: RunDetail,
  repair: string | undefined,
  config: Config,
  context: RepairsContext,
): Promise<ChosenRepairs | Extract<RevertResult, { readonly kind: 'nothing' }>> {
  const { id } = detail.run
  const nothing = nothingToRevert(detail)
  if (nothing !== undefined) return { kind: 'nothing', reason: `Run ${id} ${nothing}` }
  const written = await writtenBy(detail, config, context)
  const repairs = repair === undefined ? written : [repairNamed(repair, detail)]
  const only = repairs[0]
  if (repair !== undefined && only?.outcome === 'reverted')
    return { kind: 'nothing', reason: `Repair ${only.id} of ${id} is already reverted` }
  if (!repairs.some((attempt) => written.includes(attempt)))
    return {
      kind: 'nothing',
      reason: `Run ${id} was killed before it wrote ${repair === undefined ? 'anything' : 'that repair'}`,
    }
  return { kind: 'chosen', repairs, written }
}

async function restore(
  { repairs, written }: ChosenRepairs,
  { run }: RunDetail,
  { repair }: RevertRequest,
  { config, store }: ProjectStore,
): Promise<void> {
  const files = store.editsOf(run.id, repair === undefined ? undefined : repairs[0]?.id)
  try {
    await restoreFiles(config.root, files)
  } catch (error) {
    const changed = await findFilesChangedSince(config.root, files)
    throw repair === undefined ? withRevertibleRepairs(error, run.id, revertible(written, changed)) : error
  }
  for (const { id } of repairs) store.updateAttempt(run.id, id, { outcome: 'reverted' })
  if (repairs.length === written.length) store.setDecision(run.id, 'reverted')
}

/**
 * Returns the repairs that a run wrote. A killed run may have repairs that were never written: the journal
 * shows which.
 */
async function writtenBy(
  { run, attempts }: RunDetail,
  config: Config,
  { now }: RepairsContext,
): Promise<AttemptRecord[]> {
  const accepted = attempts.filter(({ outcome }) => outcome === 'accepted')
  if (run.status !== 'running' && run.status !== 'interrupted') return accepted
  const journal = await openJournal({ ...writablePlaces(config), now, pid: process.pid })
  const done = new Set((await journal.entriesOf(run.id)).map(({ repairId }) => repairId))
  return accepted.filter(({ id }) => done.has(id))
}

/** Returns repairs that can be reverted one by one, in that order, although some files were changed since. */
function revertible(written: readonly AttemptRecord[], changed: readonly string[]): string[] {
  // Changes of repairs before one that is kept are kept, too.
  const held = new Set(changed)
  const free: string[] = []
  for (const { id, edits } of [...written].reverse()) {
    if (edits.some(({ file }) => held.has(file))) for (const { file } of edits) held.add(file)
    else free.push(id)
  }
  return free
}

/** Returns the error of reverting a whole run, extended by the repairs of it that can be reverted. */
function withRevertibleRepairs(error: unknown, runId: string, free: readonly string[]): unknown {
  if (!(error instanceof AutotestError) || error.code !== 'journal_conflict' || free.length === 0)
    return error
  const commands = free.map((id) => `autotest revert ${runId} --repair ${id}`)
  const hint = `${error.hint ?? ''} The others can be reverted: ${commands.join(', then ')}.`.trim()
  return new AutotestError(error.code, error.message, { hint, cause: error })
}

/** Returns why a run has no changes in the files that could be reverted; undefined if it has. */
function nothingToRevert({ run, attempts }: RunDetail): string | undefined {
  if (attempts.some((attempt) => attempt.outcome === 'accepted'))
    return run.mode === 'dry_run' && run.decision !== 'kept' ? 'was a dry run and wrote nothing' : undefined
  return attempts.some((attempt) => attempt.outcome === 'reverted') ? 'is already reverted' : 'wrote nothing'
}

/**
 * Returns the repair with the id; throws `usage` if there is none, or if a later one changed the same file
 * after it.
 */
function repairNamed(id: string, { run, attempts }: RunDetail): AttemptRecord {
  const at = attempts.findIndex((attempt) => attempt.id === id)
  const attempt = attempts[at]
  const known = attempts.filter(({ outcome }) => outcome !== 'rejected').map((one) => one.id)
  if (attempt === undefined || attempt.outcome === 'rejected') {
    const why = attempt === undefined ? 'has no repair' : 'never wrote'
    throw new AutotestError('usage', `run ${run.id} ${why} "${id}"`, {
      hint: `Its repairs: ${known.join(', ')}; autotest runs show ${run.id} shows them.`,
    })
  }
  const files = new Set(attempt.edits.map(({ file }) => file))
  const onTop = attempts
    .slice(at + 1)
    .filter(({ outcome, edits }) => outcome === 'accepted' && edits.some(({ file }) => files.has(file)))
  if (attempt.outcome === 'accepted' && onTop.length > 0) {
    const later = onTop.map((one) => one.id).join(', ')
    throw new AutotestError('usage', `${later} changed ${[...files].join(', ')} on top of ${id}`, {
      hint: `Revert ${later} first, or the whole run: autotest revert ${run.id}`,
    })
  }
  return attempt
}
