import { AutotestError } from '../../errors.js'
import { openGit } from '../../git/git.js'
import type { RunRecord } from '../../store/record-types.js'
import { writablePlaces } from '../project/writable-places.js'
import type { ExecuteRequest } from './run-state.js'

/**
 * Restores what a run wrote before it was killed, so that it continues with the knowledge that it began with; the repairs
 * are found again. The caller must have the project's lock. Throws `usage`, changing nothing, if some of them are
 * committed, and `journal_conflict` if a file was changed since.
 */
export async function rollBackOwnWrites(
  run: RunRecord,
  { project, listener, now }: Pick<ExecuteRequest, 'project' | 'listener' | 'now'>,
): Promise<void> {
  if (run.mode !== 'repair') return
  const { root } = project.config
  const { openJournal } = await import('../../edit/journal.js')
  const journal = await openJournal({ ...writablePlaces(project.config), now, pid: process.pid })
  const written = new Set((await journal.entriesOf(run.id)).map(({ repairId }) => repairId))
  if (written.size === 0) return
  const commits = await commitsOf(run.id, root)
  if (commits.length > 0) {
    throw new AutotestError(
      'usage',
      `run ${run.id} cannot be resumed: it was killed after it had committed repairs (${commits.join(', ')})`,
      {
        hint: `Keep or undo what it wrote (git status; autotest revert ${run.id}), then start a new run.`,
      },
    )
  }
  const restored = await journal.revert(run.id)
  const repairs = written.size === 1 ? 'a repair' : `${written.size} repairs`
  listener({
    kind: 'note',
    text: `run ${run.id} was killed after it had written ${repairs}; restored ${restored.join(', ')}`,
  })
}

/** Returns the abbreviated hashes of a run's commits on the current branch; none without a repository. */
async function commitsOf(runId: string, root: string): Promise<string[]> {
  const git = await openGit(root)
  const { exitCode, stdout } = await git('log', '--format=%h', '--extended-regexp', `--grep=^Run: ${runId}$`)
  return exitCode === 0 ? stdout.split('\n').filter((hash) => hash !== '') : []
}
