import { AutotestError } from '../errors.js'
import { commitHashOf } from './file-history.js'
import { type Git, openGit } from './git.js'

/** A commit as people see it. */
export interface Commit {
  /** `commit 1a2b3c4` */
  readonly by: string
  /** Day on which it was written, as `YYYY-MM-DD`. */
  readonly date: string
  readonly subject: string
  /** The message below the subject, without trailers; empty if there is none. */
  readonly body: string
  /** Keys of its trailers: `Signed-off-by`. */
  readonly trailers: readonly string[]
  /** Changed files, relative to the root; none for a merge, whose commits are listed beside it. */
  readonly paths: readonly string[]
}

/** Limit of later commits that are read, newest first. */
const maxLater = 300

const [record, field] = ['\u001e', '\u001f']
const format = `--format=${record}%h${field}%as${field}%s${field}%b${field}%(trailers:keyonly,unfold,separator=%x2C)${field}`

/**
 * Returns the commit of a change, and behind it those that it merged; empty for an uncommitted change, or
 * without a repository.
 *
 * @param by `commit 1a2b3c4`
 */
export async function commitsOf(root: string, by: string): Promise<Commit[]> {
  const hash = commitHashOf(by)
  if (hash === undefined) return []
  return await withGit(root, async (git) => {
    const merged = await log(git, [`${hash}^1..${hash}`])
    // The first commit of a repository has no parent.
    return merged.length > 0 ? merged : await log(git, ['--max-count=1', hash])
  })
}

/** Returns the commits after a change, newest first; empty for an uncommitted change. */
export async function commitsAfter(root: string, by: string): Promise<Commit[]> {
  const hash = commitHashOf(by)
  if (hash === undefined) return []
  return await withGit(root, (git) => log(git, [`--max-count=${maxLater}`, `${hash}..HEAD`]))
}

/**
 * Returns the newest commit of some lines of a file; undefined if none of them is in a commit.
 *
 * @param from first line, from 1
 * @param to last line
 */
export async function lastChangeOfLines(
  root: string,
  path: string,
  from: number,
  to: number,
): Promise<Commit | undefined> {
  const [newest] = await withGit(root, async (git) => {
    const blame = await git('--no-optional-locks', 'blame', '--porcelain', `-L${from},${to}`, '--', path)
    // A file that ends before its last line, or is not in the repository.
    if (blame.exitCode !== 0) return []
    const hashes = [...blame.stdout.matchAll(/^([0-9a-f]{40,64}) \d+ \d+/gmu)].flatMap(([, hash = '']) =>
      /^0+$/u.test(hash) ? [] : [hash],
    )
    return hashes.length === 0
      ? []
      : await log(git, ['--no-walk=sorted', '--max-count=1', ...new Set(hashes)])
  })
  return newest
}

async function withGit(root: string, read: (git: Git) => Promise<Commit[]>): Promise<Commit[]> {
  try {
    return await read(await openGit(root))
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return []
    throw error
  }
}

async function log(git: Git, range: readonly string[]): Promise<Commit[]> {
  const { exitCode, stdout } = await git(
    '-c',
    'core.quotePath=false',
    'log',
    '--no-show-signature',
    '--no-color',
    '--relative',
    '--name-only',
    format,
    ...range,
  )
  if (exitCode !== 0) return []
  return stdout.split(record).slice(1).map(parseCommit)
}

function parseCommit(text: string): Commit {
  const [hash = '', date = '', subject = '', body = '', keys = '', files = ''] = text.split(field)
  const trailers = keys.split(',').filter((key) => key !== '')
  return {
    by: `commit ${hash}`,
    date,
    subject,
    body: withoutTrailers(body, trailers),
    trailers,
    paths: files.split('\n').filter((path) => path !== ''),
  }
}

function withoutTrailers(body: string, trailers: readonly string[]): string {
  const lines = body.trim().split('\n')
  const isTrailer = (line: string): boolean =>
    line.trim() === '' || trailers.some((key) => line.toLowerCase().startsWith(`${key.toLowerCase()}:`))
  while (trailers.length > 0 && isTrailer(lines.at(-1) ?? 'text')) lines.pop()
  return lines.join('\n')
}
