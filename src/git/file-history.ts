import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AutotestError } from '../errors.js'
import { type Git, literalPathspec, openGit } from './git.js'
import { type RemovedLine, uncommittedChange } from './removed-lines.js'

/** The content of a file before a change. */
export interface PreviousText {
  /** Path at that time, relative to the root. */
  readonly path: string
  readonly text: string
  /** The change: `commit 1a2b3c4`, or `an uncommitted change`. */
  readonly by: string
  /** Whether the change deleted the file. */
  readonly isDeletion?: boolean | undefined
}

/**
 * Yields the files before the given lines were removed from them: in the order of the lines, each change of a
 * file once. Reads only what is requested.
 */
export async function* previousTexts(
  root: string,
  removed: Iterable<RemovedLine>,
): AsyncGenerator<PreviousText, void> {
  const changes = new Map([...removed].map(({ path, by }) => [`${by}\0${path}`, { path, by }]))
  if (changes.size === 0) return
  const git = await openGit(root)
  for (const { path, by } of changes.values()) yield* previousTextOf(git, path, by)
}

/**
 * Yields one file as a checkout would give it before each of its changes, newest first: the uncommitted
 * change, then the commits of this branch. A merge is one change, so that each state is the input of the
 * next change. A change has two states: a commit that creates the file, by hand, by copying, as the root of a
 * history or at the boundary of a shallow clone, is none. A commit that only moves it is none either, and what
 * was before is followed under the former name. An empty text stands for content that is not text. Nothing
 * without a repository or git.
 */
export async function* fileHistory(
  root: string,
  path: string,
  most: number,
): AsyncGenerator<PreviousText, void> {
  try {
    const git = await openGit(root)
    const only = ['--', literalPathspec(path)]
    const [dirty, commits] = await Promise.all([
      git('diff', '--quiet', 'HEAD', ...only),
      changesOf(git, path, most),
    ])
    const committed = dirty.exitCode === 1 ? await checkedOut(git, `HEAD:./${path}`) : undefined
    if (committed !== undefined) yield { path, text: decodableText(committed), by: uncommittedChange }
    for (let at = 0; at < commits.length; at += readTogether) {
      const some = commits.slice(at, at + readTogether)
      const texts = await Promise.all(some.map(({ by, from }) => checkedOut(git, `${by}^:${from}`)))
      for (const [index, text] of texts.entries()) {
        // Beyond what this clone has, everything is unknown.
        if (text === undefined) return
        const { by = '', isDeletion } = some[index] ?? {}
        yield { path, text: decodableText(text), by: `commit ${by}`, ...(isDeletion && { isDeletion }) }
      }
    }
  } catch (error) {
    if (!(error instanceof AutotestError) || error.code !== 'git_failed') throw error
  }
}

/** Number of texts read at once: git is started for each, and most of its time is waiting. */
const readTogether = 4

interface FileChangeInGit {
  /** Abbreviated hash. */
  readonly by: string
  /** Path before the change, relative to the top of the repository. */
  readonly from: string
  readonly isDeletion: boolean
}

const [recordMark, statusOfCopy, statusOfMove] = ['\u001e', 'C', 'R100']

/** Returns the commits that changed a file, newest first, under the names that it had. */
async function changesOf(git: Git, path: string, most: number): Promise<FileChangeInGit[]> {
  const { exitCode, stdout } = await git(
    'log',
    `--max-count=${most}`,
    '--first-parent',
    '-m',
    '--no-show-signature',
    '--follow',
    '--find-renames',
    '--name-status',
    '-z',
    `--format=${recordMark}%h`,
    '--',
    literalPathspec(path),
  )
  if (exitCode !== 0) return []
  const changes: FileChangeInGit[] = []
  for (const entry of stdout.split(recordMark).slice(1)) {
    const [by = '', status = '', from] = entry.split('\0').map((part) => part.replace(/^\n/u, ''))
    // What is before a copy is the history of the file that it was copied from.
    if (status.startsWith(statusOfCopy)) break
    if (from !== undefined && status !== 'A' && status !== statusOfMove)
      changes.push({ by, from, isDeletion: status === 'D' })
  }
  return changes
}

/** A change, and the files of a folder that it touched, relative to the root; a move touches both names. */
export interface FolderChange {
  readonly by: string
  readonly paths: readonly string[]
}

/**
 * Returns the changes of folders, newest first: the uncommitted change, then the commits of this branch, of which a merge is one. Nothing without a
 * repository or git.
 */
export async function folderChanges(
  root: string,
  folders: readonly string[],
  most: number,
): Promise<FolderChange[]> {
  const names = ['--name-only', '-z', '--relative', '--no-renames', '--no-ext-diff']
  const only = ['--', ...folders.map(literalPathspec)]
  const limits = [`--max-count=${most}`, '--first-parent', '-m', '--no-show-signature']
  try {
    const git = await openGit(root)
    const [dirty, fresh, { exitCode, stdout }] = await Promise.all([
      git('diff', ...names, 'HEAD', ...only),
      untracked(git, folders),
      git('log', ...limits, ...names, `--format=${recordMark}%h`, ...only),
    ])
    if (exitCode !== 0) return []
    const pathsIn = (text: string): string[] =>
      text
        .split('\0')
        .map((name) => name.replace(/^\n/u, ''))
        .filter((name) => name !== '')
    const uncommitted = [...pathsIn(dirty.exitCode === 0 ? dirty.stdout : ''), ...fresh]
    const committed = stdout
      .split(recordMark)
      .slice(1)
      .map((entry) => {
        const [by = '', ...paths] = pathsIn(entry)
        return { by: `commit ${by}`, paths }
      })
    return [
      ...(uncommitted.length === 0 ? [] : [{ by: uncommittedChange, paths: uncommitted }]),
      ...committed,
    ]
  } catch (error) {
    if (!(error instanceof AutotestError) || error.code !== 'git_failed') throw error
    return []
  }
}

/** A file before and after a change: undefined if it did not exist. */
export interface ChangedText {
  /** Relative to the root. */
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/**
 * Returns the files of folders that one change modified, before and after it; for uncommitted changes, only
 * as in the last commit. A merge changed what it merged.
 *
 * @param by `commit 1a2b3c4`, or `an uncommitted change`
 */
export async function changedTexts(
  root: string,
  by: string,
  folders: readonly string[],
): Promise<ChangedText[]> {
  if (folders.length === 0) return []
  const git = await openGit(root)
  const hash = commitHashOf(by)
  const [old, ...now] = hash === undefined ? ['HEAD'] : [`${hash}^`, hash]
  const names = ['--name-only', '-z', '--relative', '--no-renames', '--no-ext-diff']
  const { exitCode, stdout } = await git('diff', ...names, old, ...now, '--', ...folders.map(literalPathspec))
  if (exitCode !== 0) return []
  const fresh = hash === undefined ? await untracked(git, folders) : []
  const texts: ChangedText[] = fresh.map((path) => ({ path, before: undefined, after: undefined }))
  for (const path of stdout.split('\0').filter((name) => name !== '')) {
    const [before, after] = [await contentOf(git, old, path), await contentOf(git, hash ?? 'HEAD', path)]
    texts.push({ path, before, after: hash === undefined ? undefined : after })
  }
  return texts
}

async function untracked(git: Git, folders: readonly string[]): Promise<string[]> {
  const { stdout } = await git(
    'ls-files',
    '--others',
    '--exclude-standard',
    '-z',
    '--',
    ...folders.map(literalPathspec),
  )
  return stdout.split('\0').filter((name) => name !== '')
}

/**
 * Returns the content of a file right after a change, which for an uncommitted change is its current content;
 * undefined where it did not exist.
 */
export async function textAfter(root: string, path: string, by: string): Promise<string | undefined> {
  const hash = commitHashOf(by)
  if (hash !== undefined) return await contentOf(await openGit(root), hash, path)
  const file = join(root, path)
  return existsSync(file) ? await readFile(file, 'utf8') : undefined
}

/** Returns the day on which a commit was written, as `YYYY-MM-DD`; undefined for an uncommitted change. */
export async function commitDate(root: string, by: string): Promise<string | undefined> {
  const hash = commitHashOf(by)
  if (hash === undefined) return undefined
  const git = await openGit(root)
  const { exitCode, stdout } = await git(
    'show',
    '--no-patch',
    '--no-show-signature',
    '--format=%ad',
    '--date=short',
    hash,
  )
  return exitCode === 0 ? stdout.trim() : undefined
}

async function* previousTextOf(git: Git, path: string, by: string): AsyncGenerator<PreviousText, void> {
  const text = await contentBefore(git, path, by)
  if (text !== undefined) yield { path, text, by }
}

function contentBefore(git: Git, path: string, by: string): Promise<string | undefined> {
  const hash = commitHashOf(by)
  return contentOf(git, hash === undefined ? 'HEAD' : `${hash}^`, path)
}

/** Returns the hash in the name of a change; undefined for an uncommitted one. */
export function commitHashOf(by: string): string | undefined {
  return /^commit (?<hash>\w+)$/u.exec(by)?.groups?.['hash']
}

/**
 * Returns content with the line endings and filters of this checkout: restored content must be as git would
 * write it.
 */
async function checkedOut(git: Git, object: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git('cat-file', '--filters', object)
  return exitCode === 0 ? stdout : undefined
}

async function contentOf(git: Git, revision: string, path: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git('show', '--no-textconv', `${revision}:./${path}`)
  return exitCode === 0 ? stdout : undefined
}

/**
 * Returns the text, or an empty one for content in another encoding, or binary content, which cannot be
 * restored byte by byte.
 */
function decodableText(content: string | undefined): string {
  return content === undefined || /[\0\uFFFD]/u.test(content) ? '' : content
}
