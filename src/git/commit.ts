import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { isExecutable } from '../platform/is-executable.js'
import { makeTemporaryFolder } from '../platform/temporary-folder.js'
import { effectsOfHooks, stateBeforeCommit } from './after-hooks.js'
import { type CommitRefusal, prepareReadinessCheck, refused } from './commit-readiness.js'
import { quoted, safeCommitText } from './commit-text.js'
import { type Git, type GitAnswer, literalPathspec, openGitForActs } from './git.js'
import { resolveGitPaths } from './inspect-repository.js'

export interface CommitRequest {
  /** Files that the journal wrote, relative to the root. */
  readonly paths: readonly string[]
  /** First line of the message. */
  readonly subject: string
  readonly body: string
  /** `Run`, `Cases-Fixed`, `Grade`, `Evidence`, `Cost`; in this order at the end of the message. */
  readonly trailers: Readonly<Record<string, string>>
}

/** A hook that says nothing for longer waits for something that will not come: a terminal, a network. */
const longestSilenceMs = 600_000

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly hash: string; readonly warning?: string | undefined }
  | CommitRefusal

/**
 * Commits the files of one repair and nothing else: what the user has staged stays staged. The user's hooks
 * run. A refusal leaves files and index unchanged and states what to do.
 */
export async function commitRepair(
  root: string,
  request: CommitRequest,
  silenceMs = longestSilenceMs,
): Promise<CommitOutcome> {
  const ready = await (await prepareReadinessCheck(root, request.paths))(request.paths)
  if (ready.kind === 'refused') return ready
  const { state, changes } = ready
  const git = await openGitForActs(root, silenceMs)
  const pathspecs = request.paths.map(literalPathspec)
  const added = changes.filter((change) => change.untracked).map((change) => literalPathspec(change.path))
  if (added.length > 0) {
    const answer = await git('add', '--intent-to-add', '--', ...added)
    if (answer.exitCode !== 0)
      return refused(`git add failed: ${lastLines(answer)}`, 'The edits stay in the working tree.')
  }
  const before = await stateBeforeCommit(git, request.paths)
  const commit = await commitWith(messageOf(request), (file) =>
    git('commit', '--only', '--quiet', '--cleanup=whitespace', `--file=${file}`, '--', ...pathspecs),
  )
  const isMade = commit.exitCode === 0 || (await isCommitMade(git, before.head, messageOf(request)))
  if (!isMade) {
    if (added.length > 0) await git('rm', '--cached', '--force', '--quiet', '--', ...added)
    return await commitFailure(git, root, commit)
  }
  const effects = await effectsOfHooks(git, request.paths, before)
  if (effects.kind === 'moved')
    return refused(
      'git made the commit, but a hook moved HEAD: it is not the last commit of the branch',
      'Look for it in `git reflog`, and at the files of the repair: the hook may have changed them.',
    )
  const { hash, added: more, changed } = effects
  const warnings = [
    ...(state.branch === undefined
      ? ['HEAD is detached: the commit is on no branch; keep it with `git branch NAME`']
      : []),
    ...(commit.exitCode === 0 ? [] : [`git made the commit, and then failed: ${lastLines(commit)}`]),
    ...(more.length === 0 ? [] : [`a hook added ${listed(more)} to the commit`]),
    ...(changed.length === 0
      ? []
      : [`a hook changed ${listed(changed)}: what is committed was not verified as it is`]),
  ]
  const [warning] = warnings.length === 0 ? [] : [warnings.join('; ')]
  return warning === undefined ? { kind: 'committed', hash } : { kind: 'committed', hash, warning }
}

/** Reports whether git made a commit although its command failed: it was interrupted while a later hook ran. */
async function isCommitMade(git: Git, head: string | undefined, message: string): Promise<boolean> {
  const { exitCode, stdout } = await git('log', '-1', '--format=%H %P%n%B', 'HEAD')
  const [commit = '', ...body] = stdout.split('\n')
  const [hash, parent] = commit.trim().split(' ')
  const [subject = ''] = message.split('\n')
  return exitCode === 0 && hash !== head && parent === head && body[0] === subject
}

const maxListed = 5

function listed(paths: readonly string[]): string {
  const left = paths.length - maxListed
  return left > 0 ? `${paths.slice(0, maxListed).join(', ')} and ${left} more` : paths.join(', ')
}

/** Gives git the message by a file: the arguments of a program are limited. */
async function commitWith(message: string, commit: (file: string) => Promise<GitAnswer>): Promise<GitAnswer> {
  const folder = makeTemporaryFolder('autotest-commit-')
  try {
    const file = join(folder, 'message')
    await writeFile(file, message)
    return await commit(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function messageOf({ subject, body: text, trailers }: CommitRequest): string {
  const line = (part: string): string => safeCommitText(part.replaceAll(/\s+/g, ' ')).trim()
  const body = safeCommitText(text).trim()
  const last = Object.entries(trailers).map(([key, value]) => `${key}: ${line(value)}`)
  return [line(subject), body === '' ? '' : quoted(body), last.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

async function commitFailure(git: Git, root: string, commit: GitAnswer): Promise<CommitOutcome> {
  const said = lastLines(commit)
  const [folder] = await resolveGitPaths(git, root, ['hooks'])
  const hook = ['pre-commit', 'prepare-commit-msg', 'commit-msg'].find((name) =>
    isExecutable(join(folder ?? '', name)),
  )
  if (hook === undefined || /^fatal: /m.test(commit.stderr)) {
    return refused(`git commit failed: ${said}`, 'The edits stay in the working tree, uncommitted.')
  }
  return refused(
    `a commit hook (${hook}) failed: ${said}`,
    'The edits stay in the working tree, uncommitted; fix what the hook reports and commit them yourself.',
  )
}

/** Returns the end of the output of git and the hooks, which contains the reason. */
function lastLines({ stdout, stderr, exitCode }: GitAnswer): string {
  const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  return lines.length === 0 ? `exit code ${exitCode}, without output` : lines.slice(-5).join('\n')
}
