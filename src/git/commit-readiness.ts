import { existsSync } from 'node:fs'
import { lastLine } from '../text/last-line.js'
import { type Git, literalPathspec, openGit } from './git.js'
import {
  changesMatching,
  inspectRepository,
  type Repository,
  resolveGitPaths,
  type WorkingTreeChange,
} from './inspect-repository.js'
import { findNestedRepositories, type NestedRepository } from './nested-repositories.js'
import { markHiding } from './not-checked-out.js'

export interface CommitRefusal {
  readonly kind: 'refused'
  readonly reason: string
  readonly hint: string
}

export interface CommitReady {
  readonly kind: 'ready'
  readonly state: Repository
  /** The differences between the files and the last commit. */
  readonly changes: readonly WorkingTreeChange[]
}

/** Checks whether some of the given files can be committed now. */
export type CommitReadinessCheck = (paths: readonly string[]) => Promise<CommitReady | CommitRefusal>

/**
 * Returns a check for obstacles to committing files; the state of the repository is read only once. Nothing
 * is changed. Hooks may still reject a commit.
 *
 * @param all paths relative to the root
 */
export async function prepareReadinessCheck(
  root: string,
  all: readonly string[],
): Promise<CommitReadinessCheck> {
  const state = await inspectRepository(root)
  if (state.kind === 'none')
    return async () => refused(state.reason, state.hint ?? 'The edits stay in the working tree.')
  const git = await openGit(root)
  const obstacle = await findCommitObstacle(git, root, state)
  if (obstacle !== undefined) return async () => obstacle
  const nested = await findNestedRepositories(root, all)
  const own = all.filter((path) => !nested.has(path))
  const [anyIgnored, changes] = await Promise.all([ignored(git, own), changesOf(git, own)])
  return async (paths) => {
    const [elsewhere] = paths.flatMap((path) => {
      const inner = nested.get(path)
      return inner === undefined ? [] : [nestedRepositoryRefusal(path, inner)]
    })
    if (elsewhere !== undefined) return elsewhere
    const which = anyIgnored === undefined ? undefined : await ignored(git, paths)
    if (which !== undefined)
      return refused(`git ignores ${which}`, 'Change .gitignore, or keep the edits uncommitted.')
    const marked = await hiddenRefusal(git, paths)
    return (
      marked ??
      readyWith(
        state,
        changes.filter(({ path }) => paths.includes(path)),
      )
    )
  }
}

function readyWith(state: Repository, changes: readonly WorkingTreeChange[]): CommitReady | CommitRefusal {
  if (changes.length === 0)
    return refused('the files are unchanged since the last commit', 'Nothing to commit.')
  const staged = changes.filter((change) => change.staged).map((change) => change.path)
  if (staged.length > 0) {
    return refused(
      `${staged.join(', ')} has staged changes of your own`,
      'Commit or unstage them, then commit the repair.',
    )
  }
  return { kind: 'ready', state, changes }
}

async function findCommitObstacle(
  git: Git,
  root: string,
  state: Repository,
): Promise<CommitRefusal | undefined> {
  if (state.operationInProgress !== undefined) {
    return refused(
      `a ${state.operationInProgress} is in progress`,
      `Finish the ${state.operationInProgress}; the edits stay in the working tree.`,
    )
  }
  if (!state.identity) {
    return refused(
      'user.name and user.email are not set',
      'Run `git config user.name "Your Name"` and `git config user.email you@example.com`.',
    )
  }
  const status = await git('status', '--porcelain', '--untracked-files=no')
  if (status.exitCode !== 0) {
    const said = lastLine(status.stderr).replace(/^fatal: /u, '')
    return refused(
      `git status failed: ${said}`,
      'See what `git fsck` says of the repository; the edits stay in the working tree.',
    )
  }
  const [lock] = await resolveGitPaths(git, root, ['index.lock'])
  if (lock === undefined || !existsSync(lock)) return undefined
  return refused(
    `${lock} exists: another git command is running`,
    'Wait for it; if none is running, delete that file.',
  )
}

/**
 * Returns the refusal for files of another repository: they can only be committed there, and only its owner
 * knows on which branch.
 */
function nestedRepositoryRefusal(path: string, nested: NestedRepository): CommitRefusal {
  const [what, then] = nested.submodule
    ? ['the submodule', `, then its new state here: git commit ${nested.path}`]
    : ['another git repository,', '']
  return refused(
    `${path} is in ${what} ${nested.path}`,
    `Commit it there: git -C ${nested.path} commit --all${then}.`,
  )
}

/** Returns the refusal for a file whose changes git passes over: it would commit the rest of a repair. */
async function hiddenRefusal(git: Git, paths: readonly string[]): Promise<CommitRefusal | undefined> {
  for (const path of paths) {
    const hidden = await markHiding(git, path)
    if (hidden !== undefined)
      return refused(
        `${path} is marked ${hidden.mark}, so git does not show changes of it`,
        `Run ${hidden.command}, then commit the repair.`,
      )
  }
  return undefined
}

/** Returns the files that git ignores, as git lists them; undefined if there are none. */
async function ignored(git: Git, paths: readonly string[]): Promise<string | undefined> {
  // Without a path git would read its standard input.
  if (paths.length === 0) return undefined
  const { exitCode, stdout } = await git('-c', 'core.quotePath=false', 'check-ignore', '--', ...paths)
  return exitCode === 0 ? stdout.trim().split('\n').join(', ') : undefined
}

async function changesOf(git: Git, paths: readonly string[]): Promise<readonly WorkingTreeChange[]> {
  return paths.length === 0 ? [] : ((await changesMatching(git, paths.map(literalPathspec))) ?? [])
}

export function refused(reason: string, hint: string): CommitRefusal {
  return { kind: 'refused', reason, hint }
}
