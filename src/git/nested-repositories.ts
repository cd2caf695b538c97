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
 * Returns the repositories of files or folders of the project that are not the project's own; nothing for
 * files in its own, or outside any.
 *
 * @param paths relative to the root
 */
export async function findNestedRepositories(
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, NestedRepository>> {
  const folders = new Map(paths.map((path) => [path, nearestExistingFolder(join(root, path))]))
  const asked = [...new Set([root, ...folders.values()])]
  const answers = await Promise.all(asked.map((folder) => locateRepository(folder)))
  const places = new Map(asked.map((folder, index) => [folder, answers[index]]))
  const outer = places.get(root)
  if (outer === undefined) return new Map()
  const below = join(outer.top, outer.prefix)
  return new Map(
    [...folders].flatMap(([path, folder]) => {
      const inner = places.get(folder)
      if (inner === undefined || inner.top === outer.top) return []
      const nested = relative(below, inner.top).split(sep).join('/')
      return [[path, { path: nested, submodule: inner.superproject !== '' }]]
    }),
  )
}

async function locateRepository(
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

/** Returns the path itself, or the nearest parent folder that exists. */
export function nearestExistingFolder(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    ? path
    : nearestExistingFolder(dirname(path))
}
