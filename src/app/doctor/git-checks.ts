import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { AutotestError } from '../../errors.js'
import { type Git, openGit } from '../../git/git.js'
import { historyGap } from '../../git/history-gap.js'
import { type Repository, resolveGitPaths } from '../../git/inspect-repository.js'
import { checkOutCommand, describeNotCheckedOut } from '../../git/not-checked-out.js'
import { plural } from '../../report/format-text.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import { notCheckedOut } from '../project/checkout.js'
import { type Check, configurationCheck, type Finding, note, ok, problem, projectCheck } from './check.js'
import type { DoctorEnvironment } from './environment.js'

const program: Check = {
  name: 'git',
  async run({ cwd, env }) {
    const git = await openGit(cwd)
    const version = await versionOf(git)
    return version === undefined
      ? problem('git is not installed, or not on PATH: repairs cannot be committed', gitInstallCommand(env))
      : ok(version)
  },
}

/** Returns the version of git; undefined if there is no git. */
async function versionOf(git: Git): Promise<string | undefined> {
  try {
    const { stdout } = await git('--version')
    return stdout.trim().replace(/^git version /, '')
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return undefined
    throw error
  }
}

const installers = [
  ['apt-get', 'apt-get install git'],
  ['dnf', 'dnf install git'],
  ['apk', 'apk add git'],
  ['pacman', 'pacman -S git'],
  ['zypper', 'zypper install git'],
  ['brew', 'brew install git'],
] as const

/**
 * Returns the install command of this system, based on the folders of system programs and independent of
 * PATH.
 */
function gitInstallCommand({ PATH = '' }: DoctorEnvironment['env']): string {
  const folders = [...PATH.split(delimiter), '/usr/bin', '/sbin', '/opt/homebrew/bin'].filter(
    (each) => each !== '',
  )
  const found = installers.find(([name]) => folders.some((folder) => existsSync(join(folder, name))))
  const root = process.getuid?.() === 0 || found?.[0] === 'brew' ? '' : 'sudo '
  return found === undefined ? 'Install git: https://git-scm.com/downloads' : root + found[1]
}

const identity: Check = {
  name: 'git identity',
  async run({ projectLocation }) {
    const git = await openGit((await projectLocation()).root)
    // A missing git has its own line.
    if ((await versionOf(git)) === undefined) return undefined
    const answers = [await git('var', 'GIT_AUTHOR_IDENT'), await git('var', 'GIT_COMMITTER_IDENT')]
    if (answers.every(({ exitCode }) => exitCode === 0))
      return ok((answers[0]?.stdout ?? '').replace(/ \d+ [+-]\d{4}\s*$/, ''))
    return problem(
      'user.name and user.email are not set: commits of repairs fail',
      'git config --global user.name "Your Name" && git config --global user.email you@example.com',
    )
  },
}

/** The commands that finish or abort each git operation in progress. */
const operationFixes: Readonly<Record<NonNullable<Repository['operationInProgress']>, string>> = {
  merge: 'git merge --continue (or --abort)',
  rebase: 'git rebase --continue (or --abort)',
  'cherry-pick': 'git cherry-pick --continue (or --abort)',
  revert: 'git revert --continue (or --abort)',
  bisect: 'git bisect reset',
}

const repository = projectCheck('repository', async (root, surroundings) => {
  const state = await surroundings.repository()
  if (state.kind === 'repo') return repositoryFinding(root, state)
  if ((await versionOf(await openGit(root))) === undefined) return undefined
  return state.hint === undefined
    ? note(`${state.reason}: repairs cannot be committed, and the file history is unknown`, 'git init')
    : problem(state.reason, state.hint.replace(/^Allow git to read it: /, ''))
})

async function repositoryFinding(root: string, { top, operationInProgress }: Repository): Promise<Finding> {
  if (operationInProgress !== undefined)
    return problem(
      `a ${operationInProgress} is in progress: repairs cannot be committed until it ends`,
      operationFixes[operationInProgress],
    )
  const git = await openGit(root)
  const [lock = ''] = await resolveGitPaths(git, root, ['index.lock'])
  if (existsSync(lock))
    return problem(
      `${lock} exists: another git command is running`,
      `Wait for it; if none is running: rm ${quoteShellArgument(lock)}`,
    )
  const { exitCode } = await git('rev-parse', '--quiet', '--verify', 'HEAD')
  if (exitCode !== 0)
    return note(`${top} has no commit yet`, 'git add --all && git commit --message "First commit"')
  return ok(top)
}

const branch = projectCheck('branch', async (_root, surroundings) => {
  const state = await surroundings.repository()
  // A rebase has its own line, and detaches the head while it lasts.
  if (
    state.kind === 'none' ||
    state.operationInProgress === 'rebase' ||
    state.operationInProgress === 'bisect'
  )
    return undefined
  return state.branch === undefined
    ? note('HEAD is detached: commits of repairs are on no branch', 'git switch --create NAME')
    : ok(state.branch)
})

const history = projectCheck('history', async (root, surroundings) => {
  const state = await surroundings.repository()
  if (state.kind === 'none') return undefined
  const place = await surroundings.projectLocation()
  const gap = await historyGap(root, place.kind === 'project' ? place.config.kb : 'kb')
  const git = await openGit(root)
  const count = Number((await git('rev-list', '--count', '--first-parent', 'HEAD')).stdout)
  const commits = plural(count, 'commit')
  switch (gap?.kind) {
    case undefined:
    case 'foreign':
      return count === 0 ? undefined : ok(commits)
    case 'unreadable':
      return problem(`git cannot read the history: ${gap.reason}`, 'git fsck')
    case 'shallow':
      return note(
        `a shallow clone of ${commits}: older file history is unknown`,
        'git fetch --unshallow (in CI: fetch-depth: 0)',
      )
    case 'partial':
      return note(
        `a partial clone of ${commits}: older texts of files are not in it`,
        'git fetch --refetch --no-filter',
      )
    case 'nested':
      return note(
        `${gap.path} is a nested repository: its file history is unknown`,
        `Commit repairs there: git -C ${quoteShellArgument(gap.path)} commit --all`,
      )
  }
})

const checkout = configurationCheck('checkout', async (config) => {
  const absent = await notCheckedOut(config)
  return absent.length === 0
    ? undefined
    : problem(describeNotCheckedOut(absent).join('\n'), checkOutCommand(absent))
})

/** Checks of the machine. */
export const machineGitChecks: readonly Check[] = [program, identity]

/** Checks of the project. */
export const gitChecks: readonly Check[] = [repository, branch, history, checkout]
