import { lstat, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AutotestError } from '../errors.js'
import { isErrno } from './errno.js'

/** Told before each change of the disk what comes next; a test ends the process or the disk's patience there. */
export type StepHook = (name: string, path: string) => void | Promise<void>

/** Changes of the disk that survive a power cut once they are synced. Paths are absolute. */
export interface DurableFileSystem {
  /** The bytes of a file, or null where there is none. */
  read(path: string): Promise<Uint8Array | null>
  /** A new file with these bytes, synced; the folder is not. Fails where the file exists. */
  create(path: string, bytes: Uint8Array, attributes: FileAttributes): Promise<void>
  /** Moves a file over another one of the same folder and syncs the folder. */
  replace(from: string, to: string): Promise<void>
  /** Removes a file and syncs its folder; nothing where there is none. */
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Removes a folder that is empty; nothing where it is not, or is gone. */
  removeFolder(path: string): Promise<void>
}

export interface FileAttributes {
  /** Permission bits; undefined: as any new file. */
  readonly mode: number | undefined
  /** Kept where the process may give files away; a run in a container as root must not take them. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

export function createDurableFileSystem(step: StepHook = () => undefined): DurableFileSystem {
  async function syncFolder(path: string): Promise<void> {
    // Windows has no handle on a folder to sync.
    if (process.platform === 'win32') return
    await step('sync folder', path)
    const handle = await open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  return {
    async read(path) {
      try {
        return Uint8Array.from(await readFile(path))
      } catch (error) {
        if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null
        if (!isErrno(error, 'EISDIR')) throw error
        throw new AutotestError('journal_conflict', `${path} is a folder, where a file was`, {
          hint: 'Nothing was changed. Move the folder away, then try again.',
          cause: error,
        })
      }
    },
    async create(path, bytes, { mode, owner }) {
      await step('create', path)
      const handle = await open(path, 'wx', mode ?? 0o666)
      try {
        await step('write', path)
        await handle.writeFile(bytes)
        if (mode !== undefined) await handle.chmod(mode)
        if (owner !== undefined && process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid)
        await step('sync', path)
        await handle.sync()
      } finally {
        await handle.close()
      }
    },
    async replace(from, to) {
      await step('rename', to)
      await rename(from, to)
      await syncFolder(dirname(to))
    },
    async remove(path) {
      if (!(await exists(path))) return
      await step('remove', path)
      await rm(path)
      await syncFolder(dirname(path))
    },
    async makeFolder(path) {
      if (await exists(path)) return
      await step('make folder', path)
      try {
        await mkdir(path)
      } catch (error) {
        // Another run made it between the look and the call.
        if (!isErrno(error, 'EEXIST')) throw error
      }
      await syncFolder(dirname(path))
    },
    async removeFolder(path) {
      await step('remove folder', path)
      try {
        await rmdir(path)
      } catch (error) {
        if (isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) return
        throw error
      }
      await syncFolder(dirname(path))
    },
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}
