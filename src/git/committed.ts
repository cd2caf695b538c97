import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGit } from './git.js'

/**
 * Calls `work` with a folder that holds what is committed in a repository, whatever its working tree looks like;
 * with the folder itself where it is no checkout or cannot be cloned.
 */
export async function withCommittedFiles<Result>(
  root: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(root, '.git'))) return work(root)
  const clone = await mkdtemp(join(tmpdir(), 'autotest-sample-'))
  try {
    const git = await openGit(root)
    const { exitCode } = await git('clone', '--quiet', '--shared', root, clone)
    return await work(exitCode === 0 ? clone : root)
  } finally {
    await rm(clone, { recursive: true, force: true })
  }
}
