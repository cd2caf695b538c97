import { AutotestError } from '../errors.js'
import { lastLine } from '../text/last-line.js'
import { readLastCommit } from './commits.js'
import { type Git, literalPathspec, openGit } from './git.js'
import { safeDirectoryCommand } from './inspect-repository.js'
import { findNestedRepositories } from './nested-repositories.js'

/** Why the git history of a folder's files is incomplete. */
export type HistoryGap =
  /** The repository is damaged. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The clone has no commits before the oldest one, `commit 1a2b3c4 (2025-11-20)`. */
  | { readonly kind: 'shallow'; readonly oldest: string }
  /** A partial clone: earlier texts of these files are not in it. */
  | { readonly kind: 'partial' }
  /** The repository belongs to another user; git reads it once `remedy` was run. */
  | { readonly kind: 'foreign'; readonly remedy: string }
  /** The folder is in a separate repository, below the project's. */
  | { readonly kind: 'nested'; readonly path: string }

/**
 * Returns the missing part of the history of a folder; undefined where nothing is missing, or without a
 * repository.
 *
 * @param folder relative to the root
 */
export async function historyGap(root: string, folder: string): Promise<HistoryGap | undefined> {
  try {
    const git = await openGit(root)
    const { exitCode, stdout, stderr } = await git('rev-parse', '--is-shallow-repository')
    const remedy = exitCode === 0 ? undefined : safeDirectoryCommand(stderr)
    if (remedy !== undefined) return { kind: 'foreign', remedy }
    if (exitCode !== 0) return undefined
    const log = await git(...readLastCommit)
    const said = lastLine(log.stderr).replace(/^fatal: /u, '')
    // A repository without a commit has no history to miss.
    if (
      log.exitCode !== 0 &&
      !/does not have any commits|unknown revision|ambiguous argument/u.test(log.stderr)
    )
      return { kind: 'unreadable', reason: said }
    const nested = (await findNestedRepositories(root, [folder])).get(folder)
    if (nested !== undefined) return { kind: 'nested', path: nested.path }
    if (stdout.trim() === 'true') return { kind: 'shallow', oldest: await oldestCommit(git) }
    return (await lacksObjects(git, folder)) ? { kind: 'partial' } : undefined
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return undefined
    throw error
  }
}

/** Commits whose objects are looked for, newest first. */
const maxCommits = 500

/** Reports whether this is a partial clone without the objects of a folder's history. */
async function lacksObjects(git: Git, folder: string): Promise<boolean> {
  const promisors = await git('config', '--bool', '--get-regexp', '^remote\\..*\\.promisor$')
  if (!/ true$/mu.test(promisors.stdout)) return false
  const { exitCode, stdout } = await git(
    'rev-list',
    '--objects',
    '--missing=print',
    `--max-count=${maxCommits}`,
    'HEAD',
    '--',
    literalPathspec(folder),
  )
  return exitCode !== 0 || /^\?/mu.test(stdout)
}

async function oldestCommit(git: Git): Promise<string> {
  const roots = ['--first-parent', '--max-parents=0', '--max-count=1', '--no-show-signature']
  const { stdout } = await git('log', ...roots, '--date=short', '--format=commit %h (%ad)', 'HEAD')
  return stdout.trim()
}

/** Describes why the known history is incomplete, and the command that completes it. */
export function describeHistoryGap(gap: HistoryGap): string {
  switch (gap.kind) {
    case 'unreadable':
      return `git cannot read the history (${gap.reason}): what people wrote in commits is unknown, so check each repair (git fsck)`
    case 'shallow':
      return `this is a shallow clone: its history begins at ${gap.oldest}, and what was changed on purpose in it or before it is unknown (git fetch --unshallow)`
    case 'partial':
      return 'this is a partial clone: earlier texts that it lacks are unknown (git fetch --refetch --no-filter)'
    case 'foreign':
      return `git refuses this repository, which belongs to another user: the history of files and cases is unknown (${gap.remedy})`
    case 'nested':
      return `${gap.path} is a nested git repository: the history of its files is unknown`
  }
}

/**
 * Describes that git has more history than was looked at.
 *
 * @param read what was looked at: `the newest 500 commits of kb`
 */
export function describeHistoryLimit(read: string): string {
  return `looked at ${read} only: what was changed on purpose before is unknown, so check each repair`
}
