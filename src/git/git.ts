import { existsSync } from 'node:fs'
import { AutotestError } from '../errors.js'
import { printingOptions, readingSettings, repositoryFilters } from './reading-settings.js'
import { runProgram } from './run-program.js'

/** The output of a git command. */
export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs git with these arguments; a failed command is returned, too. Throws `git_failed` if git is not
 * installed, and `git_unavailable` if the system cannot start it, or a read does not end.
 */
export type Git = (...args: readonly string[]) => Promise<GitAnswer>

/**
 * Variables of git's environment that are kept: the committer's identity and the location of settings. A hook
 * or an editor that started this program sets GIT_DIR, GIT_INDEX_FILE and the like for its own command, not
 * for this project.
 */
const keptEnvironment: ReadonlySet<string> = new Set([
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
])

/** The exit code of a command that was ended. */
const endedCode = -3

/** Reading the history of a large repository from a slow disk takes seconds; this is a command that waits for something. */
const readDeadlineMs = 300_000

/** Hooks may run a project's whole tests. */
const actDeadlineMs = 3_600_000

export interface ReadOptions {
  readonly deadlineMs?: number
  /** The only protocol that is allowed: `file` for a clone of this repository. */
  readonly protocol?: 'file'
}

/**
 * Opens git in a folder to read: without pager and editor, without a network (a partial clone would fetch each missing
 * object, and ask for a password), without locks, and with no program that the repository's own configuration names.
 * Throws `git_unavailable` at the deadline.
 */
export async function openGit(folder: string, options: ReadOptions = {}): Promise<Git> {
  const { deadlineMs = readDeadlineMs, protocol = 'none' } = options
  const environment = { GIT_ALLOW_PROTOCOL: protocol, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
  const plain: Git = async (...args) => {
    const whole = ['--no-pager', ...readingSettings, ...printingOptions(args)]
    const ended = await run(folder, whole, environment, { deadlineMs, isGroup: true })
    if (ended.end === 'exit') return answerOf(ended)
    throw new AutotestError('git_unavailable', `git ${commandOf(args)} ${whyEnded(ended.end, deadlineMs)}`, {
      hint: `Find out what it waits for: cd ${folder} && git ${commandOf(args)}. A disk may not answer, or a file that git reads be a pipe.`,
    })
  }
  let filters: Promise<readonly string[]> | undefined
  return async (...args) => {
    if (!applyFilters.has(commandOf(args))) return plain(...args)
    filters ??= repositoryFilters(plain)
    return plain(...(await filters), ...args)
  }
}

/**
 * Opens git in a folder for what the user asked to be done: their hooks, filters, signatures and network are used. A
 * command that says nothing for long, or does not end, is ended, and has failed: a hook may wait forever.
 */
export async function openGitForActs(folder: string, silenceMs: number): Promise<Git> {
  return async (...args) => {
    const whole = ['--no-pager', '-c', 'core.fsmonitor=false', ...args]
    const ended = await run(folder, whole, {}, { deadlineMs: actDeadlineMs, silenceMs, isGroup: false })
    if (ended.end === 'exit') return answerOf(ended)
    const limitMs = ended.end === 'silence' ? silenceMs : actDeadlineMs
    return { exitCode: endedCode, stdout: ended.stdout, stderr: whyEnded(ended.end, limitMs) }
  }
}

/** Commands in which git compares or shows files as their filters convert them. */
const applyFilters: ReadonlySet<string> = new Set([
  'status',
  'diff',
  'blame',
  'hash-object',
  'cat-file',
  'checkout',
])

/** Returns the subcommand of git's arguments, behind `-c key=value` and the like. */
function commandOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? args[0] ?? ''
}

type Ended = Awaited<ReturnType<typeof runProgram>>

async function run(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  limits: Parameters<typeof runProgram>[2],
): Promise<Ended> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^GIT_/iu.test(name) || keptEnvironment.has(name),
  )
  try {
    return await runProgram('git', args, limits, {
      cwd: folder,
      env: { ...Object.fromEntries(kept), ...environment },
    })
  } catch (cause) {
    if (!existsSync(folder))
      throw new AutotestError('git_failed', `${folder} does not exist, so git has nothing there`, { cause })
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new AutotestError('git_failed', 'git is not installed', {
        cause,
        hint: 'Install git to commit repairs.',
      })
    // The system could not start it; a history that cannot be read now must not pass for none.
    throw new AutotestError('git_unavailable', 'git cannot be started', {
      cause,
      hint: 'The system is out of files, processes or memory; run again when it has some (see `ulimit -a`).',
    })
  }
}

function answerOf({ exitCode, stdout, stderr }: Ended): GitAnswer {
  if (exitCode === null) return { exitCode: endedCode, stdout, stderr: 'it was interrupted' }
  return { exitCode, stdout, stderr }
}

function whyEnded(end: 'deadline' | 'silence', limitMs: number): string {
  return end === 'silence'
    ? `it said nothing for ${limitMs / 1000} s`
    : `did not end within ${limitMs / 1000} s`
}

/**
 * Returns a pathspec that git takes literally. The environment variable with the same effect would also
 * affect the user's hooks.
 */
export function literalPathspec(path: string): string {
  return `:(literal)${path}`
}
