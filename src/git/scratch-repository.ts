import { AutotestError } from '../errors.js'
import { type Git, openGitForActs } from './git.js'

const silenceMs = 600_000

/** Makes a folder a repository and commits its content. False if git is not installed. */
export async function createRepository(dir: string, message: string): Promise<boolean> {
  const git = await openGitForActs(dir, silenceMs)
  try {
    await done(git, 'init', '--quiet')
  } catch (error) {
    if (error instanceof AutotestError && error.message === 'git is not installed') return false
    throw error
  }
  // `git init --initial-branch` is newer than many a git.
  await done(git, 'symbolic-ref', 'HEAD', 'refs/heads/main')
  await done(git, 'config', 'user.name', 'autotest')
  await done(git, 'config', 'user.email', 'autotest@localhost')
  await done(git, 'config', 'commit.gpgsign', 'false')
  await commitEverything(dir, message)
  return true
}

/** Commits every change in a scratch repository. */
export async function commitEverything(dir: string, message: string): Promise<void> {
  const git = await openGitForActs(dir, silenceMs)
  await done(git, 'add', '--all')
  if ((await git('diff', '--cached', '--quiet')).exitCode === 0) return
  await done(git, 'commit', '--quiet', '--message', message)
}

async function done(git: Git, ...args: readonly string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await git(...args)
  if (exitCode !== 0)
    throw new AutotestError('git_failed', `git ${args[0]} failed: ${stderr}${stdout}`.trim())
}
