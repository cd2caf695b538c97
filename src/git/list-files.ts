import { AutotestError } from '../errors.js'
import { openGit } from './git.js'

/**
 * Returns the files below a folder that git knows or would add, relative to it, sorted; undefined where git is not
 * installed or the folder is in no repository.
 */
export async function listFiles(root: string): Promise<readonly string[] | undefined> {
  try {
    const git = await openGit(root)
    const { exitCode, stdout } = await git('ls-files', '--cached', '--others', '--exclude-standard', '-z')
    return exitCode === 0 ? [...new Set(stdout.split('\0').filter((name) => name !== ''))].sort() : undefined
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return undefined
    throw error
  }
}

/**
 * Returns the files with some endings that git ignores below a folder, relative to it, sorted; none where git is not
 * installed or the folder is in no repository.
 */
export async function listIgnored(root: string, endings: readonly string[]): Promise<readonly string[]> {
  try {
    const git = await openGit(root)
    const patterns = endings.map((ending) => `*${ending}`)
    const asked = ['--others', '--ignored', '--exclude-standard', '-z', '--', ...patterns]
    const { exitCode, stdout } = await git('ls-files', ...asked)
    return exitCode === 0 ? stdout.split('\0').filter((name) => name !== '') : []
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return []
    throw error
  }
}

/**
 * Reports whether git tracks a file or folder, or anything in it, in whatever letter case; undefined where git does not say.
 *
 * @param path relative to the folder, without characters that a pattern has
 */
export async function tracksAny(folder: string, path: string): Promise<boolean | undefined> {
  try {
    const git = await openGit(folder)
    const { exitCode, stdout } = await git('ls-files', '--cached', '-z', '--', `:(icase)${path}`)
    return exitCode === 0 ? stdout !== '' : undefined
  } catch (error) {
    if (error instanceof AutotestError) return undefined
    throw error
  }
}

/** Lines of a file that differ from the last commit, from 1, both inclusive. */
export interface ChangedLines {
  readonly path: string
  readonly ranges: readonly (readonly [number, number])[]
}

/**
 * Returns what differs from the last commit below a folder, in files of some ending; a new file is all of it. Throws
 * `AutotestError('git_failed')` where there is no repository.
 */
export async function changedLines(root: string, ending: string): Promise<readonly ChangedLines[]> {
  const git = await openGit(root)
  const inside = await git('rev-parse', '--show-toplevel')
  if (inside.exitCode !== 0)
    throw new AutotestError('git_failed', `${root} is in no git repository`, {
      hint: 'Name files or functions instead of --changed.',
    })
  const pattern = `*${ending}`
  const fresh = await git('ls-files', '--others', '--exclude-standard', '-z', '--', pattern)
  const head = await git('rev-parse', '--verify', '--quiet', 'HEAD')
  const added = fresh.stdout.split('\0').filter((name) => name !== '')
  const whole = (path: string): ChangedLines => ({ path, ranges: [[1, Number.MAX_SAFE_INTEGER]] })
  if (head.exitCode !== 0) {
    const staged = await git('ls-files', '--cached', '-z', '--', pattern)
    return [...added, ...staged.stdout.split('\0').filter((name) => name !== '')].map(whole)
  }
  const diff = await git(
    '-c',
    'core.quotePath=false',
    'diff',
    '--no-color',
    '--no-ext-diff',
    '--relative',
    '-U0',
    'HEAD',
    '--',
    pattern,
  )
  return [...changesIn(diff.stdout), ...added.map(whole)]
}

function changesIn(diff: string): ChangedLines[] {
  const found = new Map<string, [number, number][]>()
  let path: string | undefined
  for (const line of diff.split('\n')) {
    const file = /^\+\+\+ (?:b\/)?(.*?)\t?$/.exec(line)?.[1]
    if (file !== undefined) path = file === '/dev/null' ? undefined : file
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (hunk === null || path === undefined) continue
    const [start, count] = [Number(hunk[1]), Number(hunk[2] ?? 1)]
    // Lines that were only removed stand between two others.
    found.set(path, [...(found.get(path) ?? []), [start, Math.max(start, start + count - 1)]])
  }
  return [...found].map(([name, ranges]) => ({ path: name, ranges }))
}
