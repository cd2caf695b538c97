import { AutotestError } from '../errors.js'

/** The output of a git command. */
export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs git with these arguments; a failed command is returned, too. Throws `git_failed` if git is not
 * installed, and `git_unavailable` if the system cannot start it.
 */
export type Git = (...args: readonly string[]) => Promise<GitAnswer>

/**
 * Variables of git's environment that are kept: the committer's identity and the location of settings. A hook
 * or an editor that started this program sets GIT_DIR, GIT_INDEX_FILE and the like for its own command, not
 * for this project.
 */
const keptEnvironment = [
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_COMMITTER_DATE',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CEILING_DIRECTORIES',
]

/**
 * In a partial clone, git would fetch each missing object when it is read, and ask for a password. A commit is left
 * alone: the user's hooks inherit its settings.
 */
const offline = ['-c', 'protocol.allow=never']

/** The exit code that Node reports for a program that cannot be started. */
const spawnFailedCode = -2
/** The exit code of a command that was ended because it said nothing; Node reports null. */
const endedCode = -3

/**
 * Opens git in a folder, without pager and editor, and without a network.
 *
 * @param silenceMs for a commit: network is allowed, and a command that says nothing for so long is ended, and has failed: a hook may wait forever
 */
export async function openGit(folder: string, silenceMs?: number): Promise<Git> {
  const { simpleGit } = await import('simple-git')
  return async (...args) => {
    let exitCode: number | null = 0
    let stderr = ''
    const startedAt = performance.now()
    const git = simpleGit({
      baseDir: folder,
      trimmed: false,
      allowEnvironment: keptEnvironment,
      // Otherwise git would reject abbreviated options in the user's hooks as well.
      unsafe: { allowAbbreviatedOptions: true, allowUnsafeProtocolOverride: true },
      ...(silenceMs === undefined ? {} : { timeout: { block: silenceMs } }),
      errors(_error, result) {
        exitCode = result.exitCode
        stderr = Buffer.concat(result.stdErr).toString()
        return undefined
      },
    })
    const stdout = await git
      .raw(['--no-pager', ...(silenceMs === undefined ? offline : []), ...args])
      .catch((error: unknown) => {
        // The system could not start it; a history that cannot be read now must not pass for none.
        throw new AutotestError('git_unavailable', 'git cannot be started', {
          cause: error,
          hint: 'The system is out of files, processes or memory; run again when it has some (see `ulimit -a`).',
        })
      })
    if (silenceMs !== undefined && exitCode === null) {
      const isSilent = performance.now() - startedAt >= silenceMs
      const why = isSilent ? `it said nothing for ${silenceMs / 1000} s` : 'it was interrupted'
      return { exitCode: endedCode, stdout, stderr: why }
    }
    if (exitCode === spawnFailedCode) {
      throw new AutotestError('git_failed', 'git is not installed', {
        hint: 'Install git to commit repairs.',
      })
    }
    return { exitCode: exitCode ?? endedCode, stdout, stderr }
  }
}

/**
 * Returns a pathspec that git takes literally. The environment variable with the same effect would also
 * affect the user's hooks.
 */
export function literalPathspec(path: string): string {
  return `:(literal)${path}`
}
