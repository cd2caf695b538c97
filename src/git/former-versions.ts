import { openGit } from './git.js'
import { removedLines } from './removed-lines.js'

/** What a file held before a change. */
export interface FormerVersion {
  readonly text: string
  /** What changed it: `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
}

/** Changes that are looked at, newest first: an older one is no news to anybody. */
const most = 10

/**
 * Earlier texts of a file, newest first, one for each change that took lines out of it; none where there is no
 * repository or no git. Reads only.
 *
 * @param path relative to the root
 */
export async function formerVersions(root: string, path: string): Promise<FormerVersion[]> {
  const changes = [...new Set((await removedLines(root, path)).map(({ by }) => by))].slice(0, most)
  if (changes.length === 0) return []
  const git = await openGit(root)
  const versions: FormerVersion[] = []
  for (const by of changes) {
    const commit = /^commit (?<hash>\w+)$/u.exec(by)?.groups?.['hash']
    const { exitCode, stdout } = await git(
      'show',
      `${commit === undefined ? 'HEAD' : `${commit}^`}:./${path}`,
    )
    if (exitCode === 0) versions.push({ text: stdout, by })
  }
  return versions
}
