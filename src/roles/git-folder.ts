import { type Dirent, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isErrno } from '../edit/is-errno.js'
import { foldName } from './started-files.js'

/**
 * Returns why a file would make a folder a git repository, or change one: whoever runs git there runs what its `config` names. Git takes a folder for one by
 * a HEAD beside `objects` and `refs`, or beside a `commondir` that says where those are. No repository is without a HEAD, so that one is refused by itself:
 * the order of writes does not matter then.
 *
 * @param path relative to the root
 * @param made files that are made together with it, relative to the root
 */
export function gitFolderProblem(
  root: string,
  path: string,
  made: ReadonlySet<string> = new Set(),
): string | undefined {
  const segments = path.split('/')
  if (foldName(segments.at(-1) ?? '') === 'head') return 'git takes a folder with a HEAD for a repository'
  for (let depth = 0; depth < segments.length; depth += 1) {
    const folder = segments.slice(0, depth).join('/')
    const entries = entriesOf(join(root, folder))
    if (!entries.some((entry) => foldName(entry.name) === 'head' && !entry.isDirectory())) continue
    const beside = depth === 0 ? '' : `${folder}/`
    const names = new Set(
      [
        ...entries.map(({ name }) => name),
        ...[path, ...made]
          .filter((each) => each.startsWith(beside))
          .map((each) => each.slice(beside.length).split('/')[0] ?? ''),
      ].map(foldName),
    )
    if (names.has('commondir') || (names.has('objects') && names.has('refs')))
      return `git takes ${posix.join(folder, '.')} for a repository, and runs what its config names`
  }
  return undefined
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
