import { createHash } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isErrno } from '../edit/is-errno.js'
import { readRegularFile } from '../platform/read-regular-file.js'

/** What lies at a path of a folder, as an agent found it or left it. */
export type FoundFile =
  | { readonly kind: 'file'; readonly hash: string; readonly mode: number; readonly links: number }
  | { readonly kind: 'link'; readonly to: string }
  /** A pipe, a device, a socket, or a file that is too large to be anybody's source. */
  | { readonly kind: 'other'; readonly what: string }

/** By path relative to the root, with `/`. */
export type FileSet = ReadonlyMap<string, FoundFile>

/** Files above this size are no sources and no tests. */
const largestFile = 20_000_000
const mostFiles = 20_000
/** Of a mode: what a copy has of it. */
const rights = 0o777
/** What programs leave behind, and read again: none of it is anybody's work. */
const leftBehind = new Set(['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache'])

/**
 * Copies folders of a project with all that is in them; links stay links. Returns what was copied.
 *
 * @param places relative to the root; `.` for all of it
 * @param skipped names of folders right below the root that are left out
 * @param hidden files that are left out, relative to the root
 */
export async function copyFolders(
  root: string,
  places: readonly string[],
  to: string,
  skipped: ReadonlySet<string>,
  hidden: ReadonlySet<string> = new Set(),
): Promise<FileSet> {
  const all = await readFileSet(root, places, skipped)
  const found = new Map([...all].filter(([path]) => !hidden.has(path)))
  for (const place of places) await mkdir(join(to, place), { recursive: true })
  for (const [path, file] of found) {
    const target = join(to, path)
    await mkdir(dirname(target), { recursive: true })
    // What is there already would keep its mode.
    await rm(target, { force: true })
    if (file.kind === 'link') await symlink(file.to, target)
    if (file.kind !== 'file') continue
    await writeFile(target, await readOwnFile(join(root, path)))
    // The mask of this process would take rights away, and the command would seem to have done it.
    await chmod(target, file.mode & rights)
  }
  return new Map(
    [...found].map(([path, file]) => [
      path,
      file.kind === 'file' ? { ...file, mode: file.mode & rights } : file,
    ]),
  )
}

/** Returns what lies in folders. Nothing is followed: where a link leads is its maker's choice. */
export async function readFileSet(
  root: string,
  places: readonly string[],
  skipped: ReadonlySet<string> = new Set(),
): Promise<FileSet> {
  const found = new Map<string, FoundFile>()
  const waiting = [...places]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const entry of await entriesOf(join(root, folder))) {
      const name = entry.name.toString()
      const path = folder === '.' ? name : `${folder}/${name}`
      if (leftBehind.has(name) || (folder === '.' && skipped.has(name))) continue
      // Nobody can open it by its name as text.
      if (!entry.name.equals(Buffer.from(name)))
        found.set(path, { kind: 'other', what: 'named in bytes that are not UTF-8' })
      else if (entry.isDirectory()) waiting.push(path)
      else found.set(path, await readEntry(join(root, path)))
      if (found.size > mostFiles)
        throw new Error(`there are more than ${mostFiles} files in ${places.join(', ')}`)
    }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function entriesOf(folder: string): Promise<readonly Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

async function readEntry(path: string): Promise<FoundFile> {
  const { mode, nlink: links, size } = await lstat(path)
  if ((mode & constants.S_IFMT) === constants.S_IFLNK) return { kind: 'link', to: await readlink(path) }
  if ((mode & constants.S_IFMT) !== constants.S_IFREG)
    return { kind: 'other', what: 'neither a file nor a folder' }
  if (size > largestFile) return { kind: 'other', what: `larger than ${largestFile / 1_000_000} MB` }
  const hash = createHash('sha256')
    .update(await readOwnFile(path))
    .digest('hex')
  return { kind: 'file', hash, mode: mode & 0o7777, links }
}

/** Reads a file that is one: a link, or a pipe that would keep the reader waiting, throws. */
export function readOwnFile(path: string): Promise<Uint8Array> {
  return readRegularFile(path, constants.O_NOFOLLOW)
}

/** The same; null where there is no such file. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readOwnFile(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}
