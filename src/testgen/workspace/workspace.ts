import { cp, lstat, mkdir, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'

/** A copy of a project's files in which tests are written and run; the project itself is never touched. */
export interface Workspace {
  /** Absolute path. */
  readonly folder: string
  dispose(): Promise<void>
}

/** Files above this size are data that no test of a function needs in a copy. */
const largestFile = 20_000_000

/**
 * Copies files of a project to a folder of its own. Links are left out, as they may lead anywhere, and so are files
 * that are gone in the meantime.
 *
 * @param files relative to the root
 * @param below folders within the new one that hold them
 */
export async function createWorkspace(
  root: string,
  files: readonly string[],
  below = '',
): Promise<Workspace> {
  const outer = await realpath(makeTemporaryFolder('autotest-workspace-'))
  const folder = join(outer, below)
  const workspace = { folder, dispose: () => rm(outer, { recursive: true, force: true }) }
  try {
    await mkdir(folder, { recursive: true })
    await copyFiles(root, files, folder)
    return workspace
  } catch (error) {
    await workspace.dispose()
    throw error
  }
}

/** Copies files of a project, relative to its root, to a folder; links and very large files are left out. */
export async function copyFiles(root: string, files: readonly string[], folder: string): Promise<void> {
  for (const file of files) await copyFile(join(root, file), join(folder, file))
}

async function copyFile(from: string, to: string): Promise<void> {
  try {
    const found = await lstat(from)
    if (!found.isFile() || found.size > largestFile) return
    await mkdir(dirname(to), { recursive: true })
    await cp(from, to)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
}
