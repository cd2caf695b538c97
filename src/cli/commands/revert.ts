import type { ExitCode } from '../../app/exit-code.js'
import { openProjectStore } from '../../app/project/project-store.js'
import { withProjectLock } from '../../app/project/with-project-lock.js'
import type { Config } from '../../config/config.js'
import { findFilesChangedSince, openJournal, restoreFiles } from '../../edit/journal.js'
import { AutotestError } from '../../errors.js'
import type { AttemptRecord, RunDetail } from '../../store/records.js'
import type { CommandContext } from '../command-context.js'
import type { StoreFlags } from '../store-flags.js'

/** Puts back the exact bytes from before the repairs of a run, or from before one; refused where a file was changed since. */
export async function revertCommand(
  flags: StoreFlags & { readonly run: string; readonly repair?: string | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const { config, store } = await openProjectStore({ ...flags, cwd: context.cwd }, context.now)
  const { terminal } = context
  try {
    const runId = store.resolveRun(flags.run)
    const detail = store.runDetail(runId)
    const nothing = detail === undefined ? 'wrote nothing' : nothingToRevert(detail)
    if (detail === undefined || nothing !== undefined) {
      terminal.out(`Run ${runId} ${nothing}: there is nothing to revert.`)
      return 0
    }
    const written = await writtenBy(detail, config, context)
    const chosen = flags.repair === undefined ? written : [repairNamed(flags.repair, detail)]
    const only = chosen[0]
    if (flags.repair !== undefined && only?.outcome === 'reverted') {
      terminal.out(`Repair ${only.id} of ${runId} was reverted already: there is nothing to revert.`)
      return 0
    }
    if (!chosen.some((attempt) => written.includes(attempt))) {
      terminal.out(`Run ${runId} was killed before it wrote that: there is nothing to revert.`)
      return 0
    }
    const note = (text: string): void => terminal.err(`note  ${text}`)
    await withProjectLock(config.root, note, async () => {
      const files = store.editsOf(runId, flags.repair === undefined ? undefined : only?.id)
      try {
        await restoreFiles(config.root, files)
      } catch (error) {
        const changed = await findFilesChangedSince(config.root, files)
        throw flags.repair === undefined
          ? withRevertibleRepairs(error, runId, revertible(written, changed))
          : error
      }
      for (const attempt of chosen) store.updateAttempt(runId, attempt.id, { outcome: 'reverted' })
      if (chosen.length === written.length) store.setDecision(runId, 'reverted')
    })
    for (const attempt of chosen)
      terminal.out(`Reverted ${attempt.title}: ${attempt.edits.map((edit) => edit.file).join(', ')}`)
    const commits = chosen.flatMap(({ commit }) => (commit === undefined ? [] : [commit.slice(0, 7)]))
    if (commits.length > 0)
      terminal.out(
        `${commits.length === 1 ? 'Commit' : 'Commits'} ${commits.join(', ')} stay${commits.length === 1 ? 's' : ''} in the history: commit the reverted files too.`,
      )
    return 0
  } finally {
    store.close()
  }
}

/** What a run wrote. One that was killed may have found repairs and never written them: the journal tells. */
async function writtenBy(
  { run, attempts }: RunDetail,
  { root, kb, agents }: Config,
  { now }: CommandContext,
): Promise<AttemptRecord[]> {
  const accepted = attempts.filter(({ outcome }) => outcome === 'accepted')
  if (run.status !== 'running' && run.status !== 'interrupted') return accepted
  const journal = await openJournal({ root, allowedRoots: [kb, agents], now, pid: process.pid })
  const done = new Set((await journal.entriesOf(run.id)).map(({ repairId }) => repairId))
  return accepted.filter(({ id }) => done.has(id))
}

/** Repairs that can be taken back one by one, in that order, though some files were changed since. */
function revertible(written: readonly AttemptRecord[], changed: readonly string[]): string[] {
  // What another repair changed before one that stays, stays too.
  const held = new Set(changed)
  const free: string[] = []
  for (const { id, edits } of [...written].reverse()) {
    if (edits.some(({ file }) => held.has(file))) for (const { file } of edits) held.add(file)
    else free.push(id)
  }
  return free
}

/** The refusal of a whole run, with the repairs of it that nothing stands in the way of. */
function withRevertibleRepairs(error: unknown, runId: string, free: readonly string[]): unknown {
  if (!(error instanceof AutotestError) || error.code !== 'journal_conflict' || free.length === 0)
    return error
  const commands = free.map((id) => `autotest revert ${runId} --repair ${id}`)
  const hint = `${error.hint ?? ''} The others can be reverted: ${commands.join(', then ')}.`.trim()
  return new AutotestError(error.code, error.message, { hint, cause: error })
}

/** Why a run has left nothing in the files that could be put back; undefined where it has. */
function nothingToRevert({ run, attempts }: RunDetail): string | undefined {
  if (attempts.some((attempt) => attempt.outcome === 'accepted'))
    return run.mode === 'dry_run' && run.decision !== 'kept' ? 'was a dry run and wrote nothing' : undefined
  return attempts.some((attempt) => attempt.outcome === 'reverted') ? 'was reverted already' : 'wrote nothing'
}

/** The repair of that id; throws `usage` where there is none, or where a later one changed the same file on top of it. */
function repairNamed(id: string, { run, attempts }: RunDetail): AttemptRecord {
  const at = attempts.findIndex((attempt) => attempt.id === id)
  const attempt = attempts[at]
  const known = attempts.filter(({ outcome }) => outcome !== 'rejected').map((one) => one.id)
  if (attempt === undefined || attempt.outcome === 'rejected') {
    const why = attempt === undefined ? 'has no repair' : 'never wrote'
    throw new AutotestError('usage', `run ${run.id} ${why} "${id}"`, {
      hint: `Its repairs: ${known.join(', ')}; autotest runs show ${run.id} tells what they did.`,
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
