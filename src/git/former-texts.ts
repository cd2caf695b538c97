import { openGit } from './git.js'
import type { RemovedLine } from './removed-lines.js'

/** What a file held before a change. */
export interface FormerText {
  /** Relative to the root, as it was called then. */
  readonly path: string
  readonly text: string
  /** What changed it: `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
}

/**
 * The files as they were before the given lines were taken out of them, one after the other: in the order of the lines,
 * each change of a file once. Reads only what is asked for.
 */
export async function* formerTexts(
  root: string,
  removed: Iterable<RemovedLine>,
): AsyncGenerator<FormerText, void> {
  const changes = new Map([...removed].map(({ path, by }) => [`${by}\0${path}`, { path, by }]))
  if (changes.size === 0) return
  const git = await openGit(root)
  for (const { path, by } of changes.values()) {
    const commit = /^commit (?<hash>\w+)$/u.exec(by)?.groups?.['hash']
    const { exitCode, stdout } = await git(
      'show',
      `${commit === undefined ? 'HEAD' : `${commit}^`}:./${path}`,
    )
    if (exitCode === 0) yield { path, text: stdout, by }
  }
}
