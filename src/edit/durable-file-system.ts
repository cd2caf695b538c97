import { lstat, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AutotestError } from '../errors.js'
import { isErrno } from './is-errno.js'

/** Called before each change on disk with the next step; tests end the process or throw an error there. */
export type StepHook = (name: string, path: string) => void | Promise<void>

/** Operations on disk that survive a power failure once they are synced. Paths are absolute. */
export interface DurableFileSystem {
  /** Returns the bytes of a file, or null if it does not exist. */
  read(path: string): Promise<Uint8Array | null>
  /** Creates a file with these bytes and syncs it, but not its folder. Fails if the file exists. */
  create(path: string, bytes: Uint8Array, attributes: FileAttributes): Promise<void>
  /** Moves a file over another one in the same folder and syncs the folder. */
  replace(from: string, to: string): Promise<void>
  /** Removes a file and syncs its folder; does nothing if the file does not exist. */
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Removes an empty folder; does nothing if it is not empty, or does not exist. */
  removeFolder(path: string): Promise<void>
}

export interface FileAttributes {
  /** Permission bits; undefined: the default of a new file. */
  readonly mode: number | undefined
  /**
   * Owner to keep, if the process may change owners; a run as root in a container must not take the files.
   */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

export function createDurableFileSystem(step: StepHook = () => undefined): DurableFileSystem {
  async function syncFolder(path: string): Promise<void> {
    // Windows has no folder handle that could be synced.
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
        // Another run created it in the meantime.
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
