import { rmSync } from 'node:fs'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'

/**
 * Does work in a new folder, which is removed afterwards, or at the end of a process that does not wait for
 * it.
 */
export async function withTemporaryFolder<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = makeTemporaryFolder('autotest-doctor-')
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    return await work(folder)
  } finally {
    process.off('exit', remove)
    remove()
  }
}
