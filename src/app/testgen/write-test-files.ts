import { testExtensions } from '../../edit/allowed-path.js'
import { writeProjectFiles } from '../project/write-project-files.js'
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
  const encoder = new TextEncoder()
  const changes = files.map(({ path, before, after }) => ({
    path,
    before: before === undefined ? null : encoder.encode(before),
    after: encoder.encode(after),
  }))
  const run = `generate-${now().getTime().toString(36)}`
  await writeProjectFiles(changes, { root, run, extensions: testExtensions, now })
}
