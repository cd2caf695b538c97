import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../platform/temporary-folder.js'
import { openGit } from './git.js'

/**
 * Calls `work` with a folder that contains these files and folders as committed in a repository, whatever its
 * working tree contains; with the repository's own folder if it is no checkout or cannot be cloned.
 *
 * @param paths relative to the root
 */
export async function withCommittedFiles<Result>(
  root: string,
  paths: readonly string[],
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(root, '.git'))) return work(root)
  const clone = makeTemporaryFolder('autotest-sample-')
  try {
    return await work((await checkOut(root, paths, clone)) ? clone : root)
  } finally {
    await rm(clone, { recursive: true, force: true })
  }
}

async function checkOut(root: string, paths: readonly string[], clone: string): Promise<boolean> {
  const git = await openGit(root, { protocol: 'file' })
  const cloned = await git('clone', '--quiet', '--shared', '--no-checkout', root, clone)
  if (cloned.exitCode !== 0) return false
  const checkedOut = await (await openGit(clone))('checkout', '--quiet', 'HEAD', '--', ...paths)
  return checkedOut.exitCode === 0
}
