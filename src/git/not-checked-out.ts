import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { AutotestError } from '../errors.js'
import { quoteShellArgument } from '../text/shell-argument.js'
import { type Git, literalPathspec, openGit } from './git.js'

/** A file or folder that git has for the working tree, and that is not on disk because git was told to leave it out. */
export interface NotCheckedOut {
  /** Relative to the root; a folder for a submodule. */
  readonly path: string
  /** After "is": `in git, but not checked out (sparse checkout)`. */
  readonly state: string
  /** The shell command, run in the root, that puts paths on disk; `{}` stands for them. */
  readonly command: string
  /** What the command is given for this path, quoted. */
  readonly target: string
  /** Whether the path is a folder, whose files are unknown. */
  readonly isFolder: boolean
}

/**
 * Returns what git has at or below the paths and leaves out of the working tree: outside the sparse checkout, marked
 * skip-worktree or assume-unchanged, in a submodule that is not initialised. A file that a person deleted is not among
 * them. Empty outside a repository, and without git. Changes nothing.
 *
 * @param paths relative to the root; those outside of it are passed over
 */
export async function findNotCheckedOut(
  root: string,
  paths: readonly string[],
): Promise<readonly NotCheckedOut[]> {
  const inside = paths.map((path) => posix.normalize(path).replace(/\/$/u, '')).filter(isInside)
  if (inside.length === 0) return []
  try {
    const git = await openGit(root)
    const entries = await listEntries(git, [...new Set(inside.flatMap((path) => pathspecsOf(root, path)))])
    const absent = entries.filter(
      ({ path, mode, mark }) =>
        (mode === submoduleMode ? isEmpty(join(root, path)) : /[Sa-z]/u.test(mark)) &&
        (mode === submoduleMode || !exists(join(root, path))),
    )
    if (absent.length === 0) return []
    const sparse = await sparseCheckout(git)
    return absent.map((entry) => describeEntry(entry, root, sparse))
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return []
    throw error
  }
}

/** Returns the shell command that puts all of these on disk. */
export function checkOutCommand(absent: readonly NotCheckedOut[]): string {
  const targets = new Map<string, Set<string>>()
  for (const { command, target } of absent)
    targets.set(command, (targets.get(command) ?? new Set()).add(target))
  return [...targets].map(([command, all]) => command.replaceAll('{}', () => [...all].join(' '))).join(' && ')
}

const shown = 3

/**
 * Returns what is not checked out as lines for people, one for each state: the first paths, and the command that puts
 * all of them on disk.
 */
export function describeNotCheckedOut(absent: readonly NotCheckedOut[]): string[] {
  const states = [...new Set(absent.map(({ state }) => state))]
  return states.map((state) => {
    const all = absent.filter((each) => each.state === state)
    const paths = all.slice(0, shown).map(({ path }) => path)
    const more = all.length > shown ? ` and ${all.length - shown} more` : ''
    return `${paths.join(', ')}${more} ${all.length === 1 ? 'is' : 'are'} ${state}: ${checkOutCommand(all)}`
  })
}

/** Returns the text of a file as git would check it out; undefined for a folder, and where git has it elsewhere only. */
export async function textInIndex(
  root: string,
  { path, isFolder }: NotCheckedOut,
): Promise<string | undefined> {
  if (isFolder) return undefined
  const { exitCode, stdout } = await (await openGit(root))('cat-file', '--filters', `:./${path}`)
  return exitCode === 0 && !/[\0\uFFFD]/u.test(stdout) ? stdout : undefined
}

/** A mark by which git does not look at a file on disk. */
export interface HiddenFromGit {
  /** `skip-worktree` or `assume-unchanged`. */
  readonly mark: string
  /** The shell command, run in the root, that takes it off. */
  readonly command: string
}

/** Returns the mark of a file that makes git pass over its changes; undefined if there is none. */
export async function markHiding(git: Git, path: string): Promise<HiddenFromGit | undefined> {
  const [entry] = await listEntries(git, [literalPathspec(path)])
  if (entry === undefined || !/[Sa-z]/u.test(entry.mark)) return undefined
  const mark = markOf(entry)
  return { mark, command: `git update-index --no-${mark} ${quoteShellArgument(path)}` }
}

const submoduleMode = '160000'

interface IndexEntry {
  readonly path: string
  readonly mode: string
  /** As `git ls-files -v` gives it: `S` for skip-worktree, in lower case for assume-unchanged. */
  readonly mark: string
}

async function listEntries(git: Git, pathspecs: readonly string[]): Promise<IndexEntry[]> {
  const list = (...options: readonly string[]) =>
    git('ls-files', '-v', '--stage', '-z', ...options, '--', ...pathspecs)
  let listed = await list()
  // The folders of a sparse index cannot be opened where their trees are not in this clone.
  if (listed.exitCode !== 0) listed = await list('--sparse')
  if (listed.exitCode !== 0) return []
  return listed.stdout.split('\0').flatMap((line) => {
    const [, mark, mode, path] = /^(\S) (\d+) [0-9a-f]+ \d\t([\s\S]+)$/u.exec(line) ?? []
    return mark === undefined || mode === undefined || path === undefined ? [] : [{ path, mode, mark }]
  })
}

/** A missing path may be in a submodule, which git lists by the submodule's own path only. */
function pathspecsOf(root: string, path: string): string[] {
  if (path === '.') return ['.']
  const parents: string[] = []
  for (let at = path; at !== '.' && !exists(join(root, at)); at = dirname(at)) parents.push(dirname(at))
  const missing = parents.findLast((each) => each !== '.' && isEmpty(join(root, each)))
  return [path, ...(missing === undefined ? [] : [missing])].map(literalPathspec)
}

interface SparseCheckout {
  /** Undefined where the whole tree is checked out. */
  readonly kind: 'cone' | 'patterns' | undefined
  /** The way from the root to the top of the working tree, as an option of git; empty at the top. */
  readonly fromTop: string
  /** The root relative to the top, with a slash at the end, or empty. */
  readonly prefix: string
}

async function sparseCheckout(git: Git): Promise<SparseCheckout> {
  const [sparse, cone, place] = await Promise.all([
    git('config', '--bool', 'core.sparseCheckout'),
    git('config', '--bool', 'core.sparseCheckoutCone'),
    git('rev-parse', '--show-cdup', '--show-prefix'),
  ])
  const [up = '', prefix = ''] = place.stdout.split('\n')
  const isSparse = sparse.stdout.trim() === 'true'
  const kind = isSparse ? (cone.stdout.trim() === 'true' ? 'cone' : 'patterns') : undefined
  return { kind, fromTop: up === '' ? '' : ` -C ${up.replace(/\/$/u, '')}`, prefix }
}

function describeEntry(entry: IndexEntry, root: string, sparse: SparseCheckout): NotCheckedOut {
  const { mode, path } = entry
  const at = quoteShellArgument(path)
  if (mode === submoduleMode)
    return {
      path,
      state: 'in a submodule that is not initialised',
      command: 'git submodule update --init {}',
      target: at,
      isFolder: true,
    }
  const isFolder = path.endsWith('/')
  if (sparse.kind !== undefined && entry.mark.toUpperCase() === 'S')
    return {
      path,
      state: 'in git, but not checked out (sparse checkout)',
      command: `git${sparse.fromTop} sparse-checkout add {}`,
      target: quoteShellArgument(sparsePattern(path, root, sparse)),
      isFolder,
    }
  const mark = markOf(entry)
  return {
    path,
    state: `in git, but not on disk (marked ${mark})`,
    command: `git update-index --no-${mark} {} && git checkout -- {}`,
    target: at,
    isFolder,
  }
}

function markOf({ mark }: IndexEntry): string {
  return mark.toUpperCase() === 'S' ? 'skip-worktree' : 'assume-unchanged'
}

/** Returns what adds a file to the sparse checkout: the highest folder that is missing, or that of the file. */
function sparsePattern(path: string, root: string, { kind, prefix }: SparseCheckout): string {
  let missing: string | undefined
  for (let at = dirname(path); at !== '.' && !exists(join(root, at)); at = dirname(at)) missing = at
  if (kind === 'cone') return posix.normalize(`${prefix}${missing ?? dirname(path)}`)
  const pattern = `/${prefix}${missing === undefined ? path : `${missing}/`}`
  return pattern.replaceAll(/[*?[\\]/gu, '\\$&')
}

function isInside(path: string): boolean {
  return path !== '' && path !== '..' && !path.startsWith('../') && !path.startsWith('/')
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isEmpty(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return true
  return stats.isDirectory() && readdirSync(folder).length === 0
}
