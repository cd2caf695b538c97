import { lstat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import { createDurableFileSystem, type DurableFileSystem } from './durable-file-system.js'
import { isErrno } from './is-errno.js'

/**
 * Creates `.autotest/` in a project, which git is told to ignore, and a folder below it if one is named;
 * returns the path. Throws `write_failed` if the project is read-only or the folder is a link.
 */
export async function ensureStateFolder(
  root: string,
  below?: string,
  disk: DurableFileSystem = createDurableFileSystem(),
): Promise<string> {
  const folder = join(root, '.autotest')
  try {
    await disk.makeFolder(folder)
    if (!(await lstat(folder)).isDirectory()) throw new Error('it is not a folder')
    await writeGitignore(folder)
    if (below === undefined) return folder
    const path = join(folder, below)
    await disk.makeFolder(path)
    if (!(await lstat(path)).isDirectory()) throw new Error(`${below} is not a folder`)
    return path
  } catch (cause) {
    throw new AutotestError('write_failed', `${folder} cannot be used: ${messageOf(cause)}`, {
      hint: 'Make the project folder writable; runs with --no-repair do not need it.',
      cause,
    })
  }
}

async function writeGitignore(folder: string): Promise<void> {
  try {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}
