import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of folders of copies kept besides the one in use, and their total size in bytes. */
const keptFolders = 3
const keptBytes = 1e9
/** A folder used within this time may belong to a run in progress. */
const inUseMs = 60 * 60 * 1000

export interface CacheFolder {
  readonly name: string
  readonly bytes: number
  readonly usedAtMs: number
}

/**
 * Returns the folders to remove: all except the most recently used few, as far as they fit, and those that
 * may be in use.
 */
export function staleFolders(folders: readonly CacheFolder[], own: string, nowMs: number): string[] {
  const others = folders
    .filter((folder) => folder.name !== own && nowMs - folder.usedAtMs > inUseMs)
    .sort((a, b) => b.usedAtMs - a.usedAtMs)
  let bytes = folders.find((folder) => folder.name === own)?.bytes ?? 0
  return others
    .filter((folder, rank) => {
      bytes += folder.bytes
      return rank >= keptFolders || bytes > keptBytes
    })
    .map((folder) => folder.name)
}

/** Removes the stale folders of copies below `all`; `own` is the one about to be used. */
export async function removeStale(all: string, own: string): Promise<void> {
  const folders: CacheFolder[] = []
  for (const entry of await readdir(all, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const folder = await folderAt(all, entry.name).catch(ignoreUnreadable)
    if (folder !== undefined) folders.push(folder)
  }
  for (const name of staleFolders(folders, own, Date.now()))
    await rm(join(all, name), { recursive: true, force: true }).catch(ignorePermissionErrors)
}

/** Removes files that killed runs left unfinished in a folder of copies. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.tmp(?:\.wal|-journal)?$/u.test(name)) continue
    const file = await stat(join(folder, name)).catch(ignoreMissing)
    if (file !== undefined && Date.now() - file.mtimeMs > inUseMs)
      await rm(join(folder, name), { force: true }).catch(ignorePermissionErrors)
  }
}

/** Marks a folder of copies as used now. */
export async function markUsed(folder: string): Promise<void> {
  const now = new Date()
  await utimes(folder, now, now).catch(ignorePermissionErrors)
}

/**
 * Ignores permission errors: another user's run marks and removes its own files; this run only has to read
 * them.
 */
export function ignorePermissionErrors(error: NodeJS.ErrnoException): void {
  if (!['EPERM', 'EACCES', 'EROFS'].includes(error.code ?? '')) throw error
}

async function folderAt(all: string, name: string): Promise<CacheFolder> {
  const path = join(all, name)
  let bytes = 0
  for (const file of await readdir(path))
    bytes += (await stat(join(path, file)).catch(ignoreMissing))?.size ?? 0
  return { name, bytes, usedAtMs: (await stat(path)).mtimeMs }
}

/**
 * Ignores missing files: a copy of another database was finished, or its folder removed, since the names were
 * read.
 */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

function ignoreUnreadable(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') ignorePermissionErrors(error)
  return undefined
}
