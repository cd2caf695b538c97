import { AutotestError } from '../errors.js'
import { type Git, literally, openGit } from './git.js'
import { type RemovedLine, uncommitted } from './removed-lines.js'

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
  for (const { path, by } of changes.values()) yield* textBefore(git, path, by)
}

/**
 * One file as it was before each of its changes, newest first: what is not committed, then the commits of a year, also those
 * that took nothing out. Nothing where there is no repository or no git.
 */
export async function* fileHistory(
  root: string,
  path: string,
  most: number,
): AsyncGenerator<FormerText, void> {
  try {
    const git = await openGit(root)
    const only = ['--', literally(path)]
    const dirty = await git('--no-optional-locks', 'diff', '--quiet', 'HEAD', ...only)
    if (dirty.exitCode === 1) yield* textBefore(git, path, uncommitted)
    const log = await git('log', `--max-count=${most}`, '--since=1.year.ago', '--format=%h', ...only)
    if (log.exitCode !== 0) return
    for (const hash of log.stdout.split('\n').filter((line) => line !== ''))
      yield* textBefore(git, path, `commit ${hash}`)
  } catch (error) {
    if (!(error instanceof AutotestError) || error.code !== 'git_failed') throw error
  }
}

async function* textBefore(git: Git, path: string, by: string): AsyncGenerator<FormerText, void> {
  const commit = /^commit (?<hash>\w+)$/u.exec(by)?.groups?.['hash']
  const { exitCode, stdout } = await git('show', `${commit === undefined ? 'HEAD' : `${commit}^`}:./${path}`)
  if (exitCode === 0) yield { path, text: stdout, by }
}
