import { testExtensions } from '../../edit/allowed-path.js'
import { openJournal, recoverUnfinishedWrites } from '../../edit/journal.js'
import { lockProject } from '../../edit/project-lock.js'
import type { TestFileChange } from './generate-tests.js'

/**
 * Writes test files of a project, all or none. Throws `journal_conflict`, changing nothing, where one of them was
 * changed since it was read.
 */
export async function writeTestFiles(
  root: string,
  files: readonly TestFileChange[],
  now: () => Date,
): Promise<void> {
  if (files.length === 0) return
  const lock = await lockProject(root)
  try {
    await recoverUnfinishedWrites(root)
    const journal = await openJournal({
      root,
      allowedRoots: ['.'],
      extensions: testExtensions,
      now,
      pid: process.pid,
    })
    const run = `generate-${now().getTime().toString(36)}`
    const encoder = new TextEncoder()
    await journal.write(
      run,
      'tests',
      files.map(({ path, before, after }) => ({
        path,
        before: before === undefined ? null : encoder.encode(before),
        after: encoder.encode(after),
      })),
    )
    await journal.settle(run)
  } finally {
    await lock.release()
  }
}
