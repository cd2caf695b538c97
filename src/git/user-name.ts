import { AutotestError } from '../errors.js'
import { openGit } from './git.js'

/** Returns the name under which git would commit here; undefined if there is none, or no git. */
export async function gitUserName(root: string): Promise<string | undefined> {
  try {
    const git = await openGit(root)
    const { exitCode, stdout } = await git('config', 'user.name')
    const name = stdout.trim()
    return exitCode === 0 && name !== '' ? name : undefined
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return undefined
    throw error
  }
}
