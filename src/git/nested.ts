import { statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { openGit } from './git.js'

/** A repository below the project's own. */
export interface NestedRepository {
  /** Its folder, relative to the root. */
  readonly path: string
  readonly submodule: boolean
}

/**
 * The repository that a file or folder of the project is in, where it is not the project's own; undefined where it is, and
 * where there is none.
 *
 * @param path relative to the root
 */
export async function nestedRepository(root: string, path: string): Promise<NestedRepository | undefined> {
  const folder = nearestFolder(join(root, path))
  const [outer, inner] = await Promise.all([placeOf(root), placeOf(folder)])
  if (outer === undefined || inner === undefined || inner.top === outer.top) return undefined
  const below = relative(join(outer.top, outer.prefix), inner.top)
  return { path: below.split(sep).join('/'), submodule: inner.superproject !== '' }
}

async function placeOf(
  folder: string,
): Promise<{ top: string; prefix: string; superproject: string } | undefined> {
  const git = await openGit(folder)
  const { exitCode, stdout } = await git(
    'rev-parse',
    '--show-toplevel',
    '--show-prefix',
    '--show-superproject-working-tree',
  )
  const [top = '', prefix = '', superproject = ''] = stdout.split('\n')
  return exitCode === 0 ? { top, prefix, superproject } : undefined
}

/** The path itself, or the folder above it that is there. */
export function nearestFolder(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    ? path
    : nearestFolder(dirname(path))
}
