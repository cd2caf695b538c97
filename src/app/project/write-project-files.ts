import type { FileChange } from '../../edit/apply-edits.js'
import { openJournal, recoverUnfinishedWrites } from '../../edit/journal.js'
import { lockProject } from '../../edit/project-lock.js'
import { AutotestError } from '../../errors.js'

export interface ProjectWrite {
  readonly root: string
  /** What the journal calls the work. */
  readonly run: string
  /** Extensions of files that may be written. */
  readonly extensions: readonly string[]
  readonly now: () => Date
}

/**
 * Writes files of a project, all or none. Throws `journal_conflict`, changing nothing, where one of them was changed since it was read.
 */
export async function writeProjectFiles(
  changes: readonly FileChange[],
  { root, run, extensions, now }: ProjectWrite,
): Promise<void> {
  if (changes.length === 0) return
  const lock = await lockProject(root)
  try {
    const recovered = await recoverUnfinishedWrites(root)
    if (recovered.some(({ restored }) => restored.length > 0))
      throw new AutotestError(
        'journal_conflict',
        'another run was killed while this one worked, and its files are taken back',
        {
          hint: 'Nothing was written. Run it again: it was worked out from files that are no more.',
        },
      )
    const journal = await openJournal({ root, allowedRoots: ['.'], extensions, now, pid: process.pid })
    await journal.write(run, 'files', changes)
    await journal.settle(run)
  } finally {
    lock.release()
  }
}
