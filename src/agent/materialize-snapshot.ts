import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import { makeTemporaryFolder } from '../platform/temporary-folder.js'
import type { Snapshot } from '../snapshot/snapshot.js'

/** Folders with the files of snapshots, for agents that can only read from disk. */
export interface Materializer {
  /**
   * Writes a snapshot once and returns the knowledge base's folder in that copy; it is kept until `release`
   * and for some time after.
   */
  use(snapshot: Snapshot): { readonly kb: string; readonly release: () => void }
  close(): void
}

interface Copy {
  readonly folder: string
  users: number
}

/**
 * Number of unused copies to keep that may be needed again: those of the current and of recent candidates.
 */
const keptCopies = 4

/**
 * Writes snapshots below one temporary folder, read-only, removed on `close` and when the process exits.
 * `use` throws `AutotestError`: `path_refused` for a path outside the folder, `write_failed` if writing
 * fails.
 */
export function createMaterializer(kbFolder: string): Materializer {
  const copies = new Map<string, Copy>()
  let root: string | undefined

  function remove(): void {
    if (root !== undefined) removeReadOnly(root)
    root = undefined
    copies.clear()
    process.removeListener('exit', remove)
  }

  function rootFolder(): string {
    if (root !== undefined) return root
    root = realpathSync(makeTemporaryFolder('autotest-kb-'))
    process.once('exit', remove)
    return root
  }

  function dropUnused(): void {
    const unused = [...copies].filter(([, { users }]) => users === 0)
    for (const [hash, { folder }] of unused.slice(0, -keptCopies)) {
      copies.delete(hash)
      removeReadOnly(folder)
    }
  }

  return {
    use(snapshot) {
      const copy = copies.get(snapshot.hash) ?? { folder: join(rootFolder(), snapshot.hash), users: 0 }
      if (!copies.has(snapshot.hash)) writeSnapshot(snapshot, copy.folder, kbFolder)
      // Deleting and setting it makes the copy the most recent one.
      copies.delete(snapshot.hash)
      copies.set(snapshot.hash, copy)
      copy.users++
      return {
        kb: join(copy.folder, kbFolder),
        release() {
          copy.users--
          dropUnused()
        },
      }
    },
    close: remove,
  }
}

function writeSnapshot(snapshot: Snapshot, folder: string, kbFolder: string): void {
  const folders = new Set([folder])
  try {
    // The knowledge may be one file.
    if (!snapshot.files.has(kbFolder)) mkdirSync(join(folder, kbFolder), { recursive: true })
    else mkdirSync(folder, { recursive: true })
    for (const [path, bytes] of snapshot.files) {
      const target = join(folder, path)
      if (!target.startsWith(`${folder}${sep}`)) {
        throw new AutotestError('path_refused', `${path} is outside the knowledge base`, {
          hint: 'Give file paths relative to the project root.',
        })
      }
      mkdirSync(dirname(target), { recursive: true })
      for (let parent = dirname(target); !folders.has(parent); parent = dirname(parent)) folders.add(parent)
      writeFileSync(target, bytes, { mode: 0o444, flag: 'wx' })
    }
    for (const each of folders) chmodSync(each, 0o555)
  } catch (error) {
    removeReadOnly(folder)
    if (error instanceof AutotestError) throw error
    throw new AutotestError(
      'write_failed',
      `the knowledge base cannot be copied to ${folder}: ${messageOf(error)}`,
      {
        hint: 'Check that the temporary folder (TMPDIR) is writable and not full.',
        cause: error,
      },
    )
  }
}

/** Removes a folder. Folders must be writable before their content can be removed. */
function removeReadOnly(folder: string): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  }
  chmodSync(folder, 0o755)
  rmSync(folder, { recursive: true, force: true })
}
