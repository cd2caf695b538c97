import { importsModule, moduleNameOf, testPathOf } from '../../testgen/test-path.js'
import { readWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { TestingSession } from './testing-session.js'

/**
 * Returns the file of a module's tests: the one that is there, else one of the usual place.
 *
 * @param folder as configured; undefined: the usual one
 */
export function testFileOf(
  path: string,
  { files, worker }: TestingSession,
  folder: string | undefined,
): Promise<string> {
  const module = moduleNameOf(path, files)
  return testPathOf(path, files, folder, async (file) =>
    importsModule((await readWorkspaceFile(worker, file)) ?? '', module),
  )
}
