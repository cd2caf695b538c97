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
export const maxLaterCommits = 5000

/** Stands where a commit begins; its fields follow, then the names of its files. */
const head = '\u001e'

/**
 * What is asked of git about commits, in words that it has known since 2.15: placeholders that it does not know, it
 * would print as they are.
 */
const format = `--format=%x00${head}%x00%h%x00%ad%x00%s%x00%b%x00%(trailers:only,unfold)%x00`
const asPeopleSeeThem = [
  '--no-show-signature',
  '--no-color',
  '--encoding=UTF-8',
  '--date=short',
  '--relative',
  '--name-only',
  '-z',
  format,
]

/** The arguments by which git shows the last commit as this module reads commits; a git that cannot do that fails. */
export const readLastCommit = ['log', ...asPeopleSeeThem, '--max-count=1', 'HEAD']

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

/**
 * Returns the commits after a change, newest first, and whether there are more than are read; empty for an
 * uncommitted change.
 */
export async function commitsAfter(
  root: string,
  by: string,
): Promise<{ readonly commits: readonly Commit[]; readonly isCut: boolean }> {
  const hash = commitHashOf(by)
  if (hash === undefined) return { commits: [], isCut: false }
  const commits = await withGit(root, (git) =>
    log(git, [`--max-count=${maxLaterCommits + 1}`, `${hash}..HEAD`]),
  )
  return { commits: commits.slice(0, maxLaterCommits), isCut: commits.length > maxLaterCommits }
}

/**
 * Returns the commit with which the history of a shallow clone begins: what it changed is not known, only what it says.
 * Undefined where the history is whole.
 */
export async function boundaryCommit(root: string): Promise<Commit | undefined> {
  const [oldest] = await withGit(root, async (git) => {
    const { stdout } = await git('rev-parse', '--is-shallow-repository')
    const first = ['--first-parent', '--max-parents=0', '--max-count=1', 'HEAD']
    return stdout.trim() === 'true' ? await log(git, first) : []
  })
  return oldest
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
    const blame = await git('blame', '--porcelain', `-L${from},${to}`, '--', path)
    // A file that ends before its last line, or is not in the repository.
    if (blame.exitCode !== 0) return []
    const hashes = [...blame.stdout.matchAll(/^([0-9a-f]{40,64}) \d+ \d+/gmu)].flatMap(([, hash = '']) =>
      /^0+$/u.test(hash) ? [] : [hash],
    )
    if (hashes.length === 0) return []
    // Dates say little about the order: clocks are wrong, and tools write any date.
    const { stdout } = await git('merge-base', '--independent', ...new Set(hashes))
    const last = stdout.split('\n').filter((line) => line !== '')
    return await log(git, ['--no-walk=sorted', '--max-count=1', ...(last.length === 0 ? hashes : last)])
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
  const { exitCode, stdout } = await git('log', ...asPeopleSeeThem, ...range)
  return exitCode === 0 ? parseCommits(stdout.split('\0')) : []
}

/** Reads commits of a list in which neither a field nor a name can contain what separates them. */
function parseCommits(parts: readonly string[]): Commit[] {
  const commits: Commit[] = []
  let at = parts.indexOf(head)
  while (at >= 0) {
    const [hash = '', date = '', subject = '', body = '', trailerLines = ''] = parts.slice(at + 1, at + 6)
    const next = parts.indexOf(head, at + 6)
    const names = parts.slice(at + 6, next < 0 ? undefined : next)
    const trailers = trailerLines.split('\n').flatMap((line) => line.match(/^[^:\s]+(?=:)/u)?.[0] ?? [])
    commits.push({
      by: `commit ${hash}`,
      date,
      subject,
      body: withoutTrailers(body, trailers),
      trailers,
      paths: names.map((name) => name.replace(/^\n/u, '')).filter((name) => name !== ''),
    })
    at = next
  }
  return commits
}

function withoutTrailers(body: string, trailers: readonly string[]): string {
  const lines = body.trim().split('\n')
  const isTrailer = (line: string): boolean =>
    line.trim() === '' || trailers.some((key) => line.toLowerCase().startsWith(`${key.toLowerCase()}:`))
  let end = lines.length
  if (trailers.length > 0)
    for (let at = end - 1; at >= 0; at--) {
      const line = lines[at] ?? ''
      if (isTrailer(line)) end = at
      // An indented line may continue the trailer before it.
      else if (!/^\s/u.test(line)) break
    }
  return lines.slice(0, end).join('\n')
}
