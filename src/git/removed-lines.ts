import { parsePatch } from 'diff'
import { AutotestError } from '../errors.js'
import { type Git, literalPathspec, openGit } from './git.js'

/** A line that a file once had, and the change that removed it. */
export interface RemovedLine {
  /** Path at that time, relative to the root. */
  readonly path: string
  readonly text: string
  /** `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
}

/** The change that removed a line of the last commit. */
export const uncommittedChange = 'an uncommitted change'

/** Lines that were removed, as far as commits were read. */
export interface RemovedLines {
  readonly lines: readonly RemovedLine[]
  /** Whether older commits changed the folders, which were not read. */
  readonly isCut: boolean
}

/**
 * Limit of the commits that are read of folders, newest first; older ones could mean searching a long history in
 * vain.
 */
export const maxCommitsOfFolders = 500

/** One more than are used shows whether there are older ones. */
const commits = [`--max-count=${maxCommitsOfFolders + 1}`, '--no-show-signature', '--format=%x00%h']

/**
 * Options for the changes of merges besides the merged commits: listed last, as they add nothing if a merged
 * commit made them too.
 */
const merges = ['--merges', '-m', '--first-parent']

const patch = [
  '--patch',
  '--unified=0',
  '--relative',
  '--no-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/**
 * Returns lines that uncommitted changes and the last commits removed from the files of folders, newest
 * first; none without a repository or git. Reads only.
 */
export async function removedLines(root: string, ...folders: readonly string[]): Promise<RemovedLines> {
  // Without a folder git would read the whole repository.
  if (folders.length === 0) return { lines: [], isCut: false }
  try {
    const git = await openGit(root)
    const only = ['--', ...folders.map(literalPathspec)]
    const [changes, log, merged] = await Promise.all([
      gitOutput(git, 'diff', 'HEAD', ...patch, ...only),
      gitOutput(git, 'log', ...commits, ...patch, ...only),
      gitOutput(git, 'log', ...commits, ...merges, ...patch, ...only),
    ])
    const logs = [log, merged].map((text) => text.split('\0').slice(1))
    const taken = logs
      .flatMap((entries) => entries.slice(0, maxCommitsOfFolders))
      .flatMap((entry) => {
        const end = entry.indexOf('\n')
        return linesOf(entry.slice(end), `commit ${entry.slice(0, end)}`)
      })
    return {
      lines: [...linesOf(changes, uncommittedChange), ...taken],
      isCut: logs.some((entries) => entries.length > maxCommitsOfFolders),
    }
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return { lines: [], isCut: false }
    throw error
  }
}

/**
 * Returns the output of a git command; empty if it fails, as without a repository or before the first commit.
 */
async function gitOutput(git: Git, ...args: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await git('-c', 'core.quotePath=false', ...args)
  return exitCode === 0 ? stdout : ''
}

function linesOf(text: string, by: string): RemovedLine[] {
  return parsePatch(text).flatMap(({ oldFileName = '', hunks }) =>
    hunks.flatMap(({ lines }) =>
      lines
        .filter((line) => line.startsWith('-'))
        .map((line) => ({ path: oldFileName.replace(/^a\//u, ''), text: line.slice(1), by })),
    ),
  )
}
