import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type Git, type GitAnswer, literally, openGit } from './git.js'
import { type Change, changesIn, gitPaths, inspectRepository, type Repository } from './inspect.js'
import { nestedRepository } from './nested.js'

export interface CommitRequest {
  /** Files that the journal wrote, relative to the root. */
  readonly paths: readonly string[]
  /** First line of the message. */
  readonly subject: string
  readonly body: string
  /** `Run`, `Cases-Fixed`, `Grade`, `Evidence`, `Cost`; in this order at the end of the message. */
  readonly trailers: Readonly<Record<string, string>>
}

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly hash: string; readonly warning?: string | undefined }
  | Refusal

interface Refusal {
  readonly kind: 'refused'
  readonly reason: string
  readonly hint: string
}

/**
 * Commits the files of one repair and nothing else: what the user has staged stays staged. The user's hooks run. A
 * refusal leaves files and index as they were and says what to do.
 */
export async function commitRepair(root: string, request: CommitRequest): Promise<CommitOutcome> {
  const ready = await readyToCommit(root, request.paths)
  if (ready.kind === 'refused') return ready
  const { git, state, changes } = ready
  const pathspecs = request.paths.map(literally)
  const added = changes.filter((change) => change.untracked).map((change) => literally(change.path))
  if (added.length > 0) {
    const answer = await git('add', '--intent-to-add', '--', ...added)
    if (answer.exitCode !== 0)
      return refused(`git add failed: ${lastLines(answer)}`, 'The edits stay in the working tree.')
  }
  const commit = await git(
    'commit',
    '--only',
    '--quiet',
    '--cleanup=whitespace',
    `--message=${messageOf(request)}`,
    '--',
    ...pathspecs,
  )
  if (commit.exitCode !== 0) {
    if (added.length > 0) await git('rm', '--cached', '--force', '--quiet', '--', ...added)
    return await failure(git, root, commit)
  }
  const hash = (await git('rev-parse', 'HEAD')).stdout.trim()
  if (state.branch !== undefined) return { kind: 'committed', hash }
  return {
    kind: 'committed',
    hash,
    warning: 'HEAD is detached: the commit is on no branch; keep it with `git branch NAME`',
  }
}

interface Ready {
  readonly kind: 'ready'
  readonly git: Git
  readonly state: Repository
  readonly changes: readonly Change[]
}

/** What stands in the way of committing files; nothing is changed. Hooks may refuse them all the same. */
export async function readyToCommit(root: string, paths: readonly string[]): Promise<Ready | Refusal> {
  const state = await inspectRepository(root)
  if (state.kind === 'none') return refused(state.reason, state.hint ?? 'The edits stay in the working tree.')
  const git = await openGit(root)
  const obstacle = await obstacleTo(git, root, state, paths)
  if (obstacle !== undefined) return obstacle
  const prefix = (await git('rev-parse', '--show-prefix')).stdout.trimEnd()
  const changes = await changesIn(git, prefix, paths.map(literally))
  if (changes.length === 0)
    return refused('the files are as in the last commit', 'There is nothing to commit.')
  const staged = changes.filter((change) => change.staged).map((change) => change.path)
  if (staged.length > 0) {
    return refused(
      `${staged.join(', ')} has staged changes of your own`,
      'Commit or unstage them, then commit the repair.',
    )
  }
  return { kind: 'ready', git, state, changes }
}

async function obstacleTo(
  git: Git,
  root: string,
  state: Repository,
  paths: readonly string[],
): Promise<Refusal | undefined> {
  if (state.blocked !== undefined) {
    return refused(
      `a ${state.blocked} is under way`,
      `Finish the ${state.blocked}; the edits stay in the working tree.`,
    )
  }
  if (!state.identity) {
    return refused(
      'git does not know who commits',
      'Run `git config user.name "Your Name"` and `git config user.email you@example.com`.',
    )
  }
  const [lock] = await gitPaths(git, root, ['index.lock'])
  if (lock !== undefined && existsSync(lock)) {
    return refused(
      `${lock} exists: another git command is at work`,
      'Wait for it; if none is running, delete that file.',
    )
  }
  const nested = await firstNested(root, paths)
  if (nested !== undefined) return nested
  const ignored = await git('-c', 'core.quotePath=false', 'check-ignore', '--', ...paths)
  if (ignored.exitCode === 0) {
    return refused(
      `git ignores ${ignored.stdout.trim().split('\n').join(', ')}`,
      'Change .gitignore, or keep the edits uncommitted.',
    )
  }
  return undefined
}

/** What another repository holds can be committed only there, and only its owner knows on which branch. */
async function firstNested(root: string, paths: readonly string[]): Promise<Refusal | undefined> {
  for (const path of paths) {
    const nested = await nestedRepository(root, path)
    if (nested === undefined) continue
    const [what, then] = nested.submodule
      ? ['the submodule', `, then its new state here: git commit ${nested.path}`]
      : ['another git repository,', '']
    return refused(
      `${path} is in ${what} ${nested.path}`,
      `Commit it there: git -C ${nested.path} commit --all${then}.`,
    )
  }
  return undefined
}

function messageOf({ subject, body, trailers }: CommitRequest): string {
  const line = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
  const last = Object.entries(trailers).map(([key, value]) => `${key}: ${line(value)}`)
  return [line(subject), body.trim(), last.join('\n')].filter((part) => part !== '').join('\n\n')
}

async function failure(git: Git, root: string, commit: GitAnswer): Promise<CommitOutcome> {
  const said = lastLines(commit)
  const [folder] = await gitPaths(git, root, ['hooks'])
  const hook = ['pre-commit', 'prepare-commit-msg', 'commit-msg'].find((name) =>
    isExecutable(join(folder ?? '', name)),
  )
  if (hook === undefined || /^fatal: /m.test(commit.stderr)) {
    return refused(`git commit failed: ${said}`, 'The edits stay in the working tree, uncommitted.')
  }
  return refused(
    `a commit hook (${hook}) failed: ${said}`,
    'The edits stay in the working tree, uncommitted; fix what the hook says and commit them yourself.',
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

/** The end of what git and the hooks said; that is where the reason is. */
function lastLines({ stdout, stderr, exitCode }: GitAnswer): string {
  const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  return lines.length === 0 ? `exit code ${exitCode}, without a word` : lines.slice(-5).join('\n')
}

function refused(reason: string, hint: string): Refusal {
  return { kind: 'refused', reason, hint }
}
