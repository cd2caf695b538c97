import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AutotestError } from '../errors.js'
import { type Git, literalPathspec, openGit } from './git.js'

/** A git operation in progress, during which nothing is committed. */
type GitOperation = 'merge' | 'rebase' | 'bisect' | 'cherry-pick' | 'revert'

export interface Repository {
  readonly kind: 'repo'
  /** Absolute path of the working tree. */
  readonly top: string
  /** Undefined with a detached head. */
  readonly branch: string | undefined
  /** Whether there is no commit yet. */
  readonly isUnborn: boolean
  readonly operationInProgress: GitOperation | undefined
  /**
   * Files of the project that differ from the last commit, including new ones; relative to the root, sorted.
   */
  readonly dirtyPaths: readonly string[]
  /** Those of them with changes in the index. */
  readonly stagedPaths: readonly string[]
  /** Whether git has the committer's identity. */
  readonly identity: boolean
}

export interface NoRepository {
  readonly kind: 'none'
  readonly reason: string
  /** The command that fixes it, if git itself suggests one. */
  readonly hint?: string | undefined
  /** Whether there is a repository, which git cannot use or does not read; absent: there is none. */
  readonly isBroken?: true | undefined
}

export type GitState = NoRepository | Repository

/**
 * Returns the git state of a project; `none` if it is in no repository or git is not installed. Changes
 * nothing.
 */
export async function inspectRepository(root: string): Promise<GitState> {
  const git = await openGit(root)
  const place = await locateRepository(git, root)
  if ('reason' in place) return { kind: 'none', ...place }
  const [head, commit, blocked, status, identity] = await Promise.all([
    git('symbolic-ref', '--quiet', '--short', 'HEAD'),
    git('rev-parse', '--verify', '--quiet', 'HEAD'),
    findOperationInProgress(git, root),
    statusOf(git, ['.']),
    hasIdentity(git),
  ])
  const changes = changesIn(status, place.prefix)
  return {
    kind: 'repo',
    top: place.top,
    branch: head.exitCode === 0 ? head.stdout.trim() : undefined,
    isUnborn: commit.exitCode !== 0,
    operationInProgress: blocked,
    dirtyPaths: changes.map((change) => change.path),
    stagedPaths: changes.filter((change) => change.staged).map((change) => change.path),
    identity,
  }
}

interface RepositoryLocation {
  readonly top: string
  /** The root relative to the top, with a slash at the end, or empty. */
  readonly prefix: string
}

async function locateRepository(
  git: Git,
  root: string,
): Promise<RepositoryLocation | Omit<NoRepository, 'kind'>> {
  try {
    const { exitCode, stdout, stderr } = await git('rev-parse', '--show-toplevel', '--show-prefix')
    const [top, prefix] = stdout.split('\n')
    if (exitCode === 0 && top !== undefined && prefix !== undefined) return { top, prefix }
    const remedy = safeDirectoryCommand(stderr)
    if (remedy !== undefined)
      return {
        reason: 'the git repository belongs to another user',
        hint: `Allow git to read it: ${remedy}`,
        isBroken: true,
      }
    const reason = stderr.split('\n')[0]?.replace(/^fatal: /, '') ?? ''
    if (!reason.startsWith('not a git repository')) return { reason, isBroken: true }
    return brokenRepository(root) ?? { reason: 'not a git repository' }
  } catch (error) {
    if (error instanceof AutotestError)
      return { reason: error.message, ...(brokenRepository(root) === undefined ? {} : { isBroken: true }) }
    throw error
  }
}

/** Returns that there is a repository which git does not take for one: its HEAD or objects are damaged. */
function brokenRepository(root: string): Omit<NoRepository, 'kind'> | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, '.git')
    if (existsSync(path))
      return {
        reason: `git does not recognise ${path} as a repository`,
        hint: `Run git status in ${folder}; often .git/HEAD is damaged`,
        isBroken: true,
      }
    if (dirname(folder) === folder) return undefined
  }
}

/** Returns the command that allows git to read another user's repository, if git refuses that. */
export function safeDirectoryCommand(stderr: string): string | undefined {
  return /git config --global --add safe\.directory .+/u.exec(stderr)?.[0].trimEnd()
}

/** Git's own files for operations in progress, at their path in this working tree. */
const operationMarkers: readonly (readonly [string, GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['sequencer', 'cherry-pick'],
  ['BISECT_LOG', 'bisect'],
]

async function findOperationInProgress(git: Git, root: string): Promise<GitOperation | undefined> {
  const paths = await resolveGitPaths(
    git,
    root,
    operationMarkers.map(([name]) => name),
  )
  return operationMarkers.find((_, index) => existsSync(paths[index] ?? ''))?.[1]
}

/** Returns the absolute paths of files that git keeps for this working tree. */
export async function resolveGitPaths(git: Git, root: string, names: readonly string[]): Promise<string[]> {
  const { stdout } = await git('rev-parse', ...names.flatMap((name) => ['--git-path', name]))
  return stdout
    .split('\n')
    .slice(0, names.length)
    .map((path) => resolve(root, path))
}

export interface WorkingTreeChange {
  /** Relative to the root. */
  readonly path: string
  readonly staged: boolean
  readonly untracked: boolean
  /** Whether it is in an unresolved conflict. */
  readonly unmerged: boolean
  /** Whether only its name is tracked (intent to add). */
  readonly announced: boolean
}

/**
 * Returns files that differ from the last commit, among those that match the pathspecs; undefined outside a
 * repository.
 */
export async function changesMatching(
  git: Git,
  pathspecs: readonly string[],
): Promise<readonly WorkingTreeChange[] | undefined> {
  const [place, status] = await Promise.all([git('rev-parse', '--show-prefix'), statusOf(git, pathspecs)])
  return place.exitCode === 0 ? changesIn(status, place.stdout.trimEnd()) : undefined
}

async function statusOf(git: Git, pathspecs: readonly string[]): Promise<string> {
  // Reading must not write the index: another git command may be running.
  const { stdout } = await git(
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--',
    ...pathspecs,
  )
  return stdout
}

function changesIn(status: string, prefix: string): WorkingTreeChange[] {
  return status
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => ({
      path: entry.slice(3 + prefix.length),
      staged: entry[0] !== ' ' && entry[0] !== '?',
      untracked: entry[0] === '?',
      unmerged: /^(?:U.|.U|AA|DD)/.test(entry),
      // `git add --intent-to-add`: git has the name and no content.
      announced: entry.startsWith(' A'),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns those of the files that differ from the last commit. */
export async function differingPaths(root: string, paths: readonly string[]): Promise<string[]> {
  const changes = await changesMatching(await openGit(root), paths.map(literalPathspec))
  return (changes ?? []).map(({ path }) => path)
}

async function hasIdentity(git: Git): Promise<boolean> {
  const answers = await Promise.all([git('var', 'GIT_AUTHOR_IDENT'), git('var', 'GIT_COMMITTER_IDENT')])
  return answers.every((answer) => answer.exitCode === 0)
}
