import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { extname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import type { KnowledgeSource } from './knowledge-source.js'
import { longestPointer, pointerFile } from './pointer-file.js'
import { createSnapshot, type Snapshot } from './snapshot.js'

/** A file or folder that could not be used; the rest is loaded. */
interface LoadProblem {
  /** POSIX, relative to the root. */
  readonly path: string
  readonly message: string
  /** Whether the file is a pointer to its content, which is not there. */
  readonly isPointer?: boolean | undefined
}

export interface LoadedSnapshot {
  readonly snapshot: Snapshot
  /** Sorted by path. */
  readonly problems: readonly LoadProblem[]
}

const extensions = new Set(['.yaml', '.yml', '.sql', '.md', '.pym'])
/** Other files that hold knowledge in formats of their own. */
const sourceExtensions = new Set([
  ...extensions,
  '.mdx',
  '.mdc',
  '.markdown',
  '.json',
  '.jsonl',
  '.ndjson',
  '.csv',
  '.tsv',
])
const limits = { files: 20_000, fileBytes: 5_000_000, totalBytes: 200_000_000, depth: 32 }

interface Walk {
  readonly root: string
  readonly files: Map<string, Uint8Array>
  readonly problems: LoadProblem[]
  bytes: number
  /** What is read in the folder that is walked. */
  isRead: (path: string) => boolean
}

/** Files read in addition to the folders of the native format. */
export interface SourcesToLoad {
  readonly sources: readonly KnowledgeSource[]
  /** POSIX paths, relative to the root, that are no knowledge: benchmarks, reports. */
  readonly except: readonly string[]
}

/**
 * Reads the agent's knowledge: regular files below the folders (relative to the root) with a knowledge
 * extension. Symbolic links, hidden files and `node_modules` are skipped; what cannot be read becomes a
 * problem. A missing folder yields nothing; one outside the root is refused (`usage`).
 */
export async function loadSnapshot(
  root: string,
  folders: readonly string[],
  more?: SourcesToLoad,
): Promise<LoadedSnapshot> {
  const walk: Walk = { root: resolve(root), files: new Map(), problems: [], bytes: 0, isRead: isKnowledge }
  for (const folder of folders) {
    const path = await insideRoot(walk.root, folder)
    if (path !== undefined) await readFolder(walk, path, 0)
  }
  const { sources = [], except = [] } = more ?? {}
  walk.isRead = (path) =>
    sourceExtensions.has(extname(path).toLowerCase()) &&
    !except.some((other) => path === other || path.startsWith(`${other}/`))
  for (const source of sources) {
    const path = await insideRoot(walk.root, source.path)
    if (path === undefined) addProblem(walk, source.path, 'does not exist')
    else await readSource(walk, path)
  }
  walk.problems.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { snapshot: createSnapshot(walk.files, more?.sources), problems: walk.problems }
}

/** Returns the folder as a POSIX path relative to the root, or undefined if it does not exist. */
async function insideRoot(root: string, folder: string): Promise<string | undefined> {
  const path = relative(root, resolve(root, folder))
  if (!isInside(path)) throw outsideRootError(folder, root)
  let real: string
  try {
    real = await realpath(join(root, path))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new AutotestError('kb_missing', `${folder} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  if (!isInside(relative(await realpath(root), real))) throw outsideRootError(folder, root)
  return path.split(sep).join(posix.sep)
}

function isInside(path: string): boolean {
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

function outsideRootError(folder: string, root: string): AutotestError {
  return new AutotestError('usage', `${folder} is outside the project ${root}`, {
    hint: 'Choose a folder inside the project, relative to its root.',
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function readFolder(walk: Walk, folder: string, depth: number): Promise<void> {
  if (depth > limits.depth) {
    addProblem(walk, folder, `folders nest deeper than ${limits.depth}`)
    return
  }
  const names = await attempt(walk, folder, () => readdir(join(walk.root, folder)))
  for (const name of (names ?? []).sort()) {
    if (name.startsWith('.') || name === 'node_modules') continue
    const path = posix.join(folder, name)
    const stats = await attempt(walk, path, () => lstat(join(walk.root, path)))
    if (stats?.isDirectory() === true) await readFolder(walk, path, depth + 1)
    else if (stats?.isSymbolicLink() === true) {
      if (walk.isRead(path) || extname(name) === '')
        addProblem(walk, path, 'is a symbolic link, which is not followed')
    } else if (stats !== undefined && walk.isRead(path)) {
      if (stats.isFile()) await readOne(walk, path, stats.size)
      else addProblem(walk, path, 'is not a regular file')
    }
  }
}

/** Reads a folder, or one file whatever its name ends with. */
async function readSource(walk: Walk, path: string): Promise<void> {
  const stats = await attempt(walk, path, () => lstat(join(walk.root, path)))
  if (stats?.isFile() === true) await readOne(walk, path, stats.size)
  else if (stats?.isDirectory() === true) await readFolder(walk, path === '' ? '.' : path, 0)
}

/** Guidelines of agents are JSON as well, which elsewhere is data. */
function isKnowledge(path: string): boolean {
  const extension = extname(path).toLowerCase()
  return extensions.has(extension) || (extension === '.json' && /\/guidelines\/[^/]+$/.test(path))
}

function addProblem(walk: Walk, path: string, message: string): void {
  walk.problems.push({ path, message })
}

async function readOne(walk: Walk, path: string, size: number): Promise<void> {
  if (walk.files.has(path)) return
  const over = overLimit(walk, size)
  if (over !== undefined) {
    addProblem(walk, path, over)
    return
  }
  const bytes = await attempt(walk, path, () => readFile(join(walk.root, path)))
  if (bytes === undefined) return
  const pointer = size > longestPointer ? undefined : pointerFile(bytes, path)
  if (pointer !== undefined) {
    walk.problems.push({ path, message: `${pointer.message} (${pointer.command})`, isPointer: true })
    return
  }
  walk.files.set(path, bytes)
  walk.bytes += bytes.byteLength
}

function overLimit(walk: Walk, size: number): string | undefined {
  if (size > limits.fileBytes) return `is larger than ${limits.fileBytes / 1e6} MB`
  if (walk.files.size >= limits.files) return `was not read: there are more than ${limits.files} files`
  if (walk.bytes + size > limits.totalBytes)
    return `was not read: the files have more than ${limits.totalBytes / 1e6} MB`
  return undefined
}

async function attempt<T>(walk: Walk, path: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    addProblem(walk, path, `cannot be read: ${withoutPath(messageOf(error))}`)
    return undefined
  }
}

/** Returns `EACCES: permission denied, open '/home/…'` without the path, which the problem names already. */
function withoutPath(message: string): string {
  return message.replace(/, \w+ '.*$/s, '')
}
