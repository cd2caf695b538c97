import { importsModule, moduleNameOf, testPathOf } from '../../testgen/test-path.js'
import { readWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { TestingSession } from './testing-session.js'

/**
 * Returns the file of a module's tests: the one that is there, else one of the usual place.
 *
 * @param folder as configured; undefined: the usual one
 * @param names `any`: a file of another name that imports the module is its test file, too
 */
export function testFileOf(
  path: string,
  { files, worker }: TestingSession,
  folder: string | undefined,
  names: 'usual' | 'any' = 'usual',
): Promise<string> {
  const module = moduleNameOf(path, files)
  const imports = async (file: string): Promise<boolean> =>
    importsModule((await readWorkspaceFile(worker, file)) ?? '', module)
  return testPathOf(path, files, folder, imports, names)
}
