import { restore } from '../../edit/journal.js'
import type { RunDetail } from '../../store/records.js'
import type { CommandContext } from '../command-context.js'
import type { ExitCode } from '../exit-code.js'
import { withProjectLock } from '../locked.js'
import { openProjectStore, type StoreFlags } from '../project-store.js'

/** Puts back the exact bytes from before the repairs of a run; refused where a file was changed since. */
export async function revertCommand(
  flags: StoreFlags & { readonly run: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { config, store } = await openProjectStore(flags, context)
  try {
    const runId = store.resolveRun(flags.run)
    const detail = store.runDetail(runId)
    const accepted = detail?.attempts.filter((attempt) => attempt.outcome === 'accepted') ?? []
    const nothing = detail === undefined ? 'wrote nothing' : nothingToRevert(detail)
    if (nothing !== undefined) {
      context.terminal.out(`Run ${runId} ${nothing}: there is nothing to revert.`)
      return 0
    }
    const note = (text: string): void => context.terminal.err(`note  ${text}`)
    await withProjectLock(config.root, note, async () => {
      await restore(config.root, store.editsOf(runId))
      for (const attempt of accepted) store.updateAttempt(runId, attempt.id, { outcome: 'reverted' })
      store.setDecision(runId, 'reverted')
    })
    for (const attempt of accepted)
      context.terminal.out(`Reverted ${attempt.title}: ${attempt.edits.map((edit) => edit.file).join(', ')}`)
    const commits = accepted.flatMap((attempt) =>
      attempt.commit === undefined ? [] : [attempt.commit.slice(0, 7)],
    )
    if (commits.length > 0)
      context.terminal.out(
        `${commits.length === 1 ? 'Commit' : 'Commits'} ${commits.join(', ')} stay${commits.length === 1 ? 's' : ''} in the history: commit the reverted files too.`,
      )
    return 0
  } finally {
    store.close()
  }
}

/** Why a run has left nothing in the files that could be put back; undefined where it has. */
function nothingToRevert({ run, attempts }: RunDetail): string | undefined {
  if (attempts.some((attempt) => attempt.outcome === 'accepted'))
    return run.mode === 'dry_run' && run.decision !== 'kept' ? 'was a dry run and wrote nothing' : undefined
  return attempts.some((attempt) => attempt.outcome === 'reverted') ? 'was reverted already' : 'wrote nothing'
}
