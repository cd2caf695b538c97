import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import { type AllowedRoot, checkOnDisk, checkPath } from './allowed-path.js'
import type { FileChange } from './apply-edits.js'
import type { DurableFileSystem, FileAttributes } from './durable-file-system.js'
import { isErrno } from './is-errno.js'
import {
  beforeOf,
  hashOf,
  type JournalRecord,
  type RecordedFile,
  type RecordState,
  recordPath,
  tempPath,
  writeIntent,
} from './journal-record.js'

/** Where changes are made and recorded. */
export interface TransactionContext {
  /** Absolute, with links resolved. */
  readonly root: string
  /** `.autotest/journal` below the root. */
  readonly folder: string
  readonly disk: DurableFileSystem
  /** File name extensions that may be written. */
  readonly extensions: readonly string[]
}

/** A change that may restore a file, with the permission bits it had. */
export type PlannedChange = FileChange & { readonly mode?: number | undefined }

/** The purpose of a transaction; its files follow from the changes. */
export type TransactionHeader = Pick<
  JournalRecord,
  'id' | 'runId' | 'repairId' | 'writtenAt' | 'pid' | 'undoes' | 'removes'
>

/**
 * Makes all changes or none: writes the intent with the former bytes, writes new bytes to temporary files
 * beside the old ones, renames them, marks the record done. Throws `journal_conflict` if a file differs from
 * `before`, `path_refused`, or `write_failed` with everything unchanged.
 */
export async function runTransaction(
  ground: TransactionContext,
  purpose: TransactionHeader,
  changes: readonly PlannedChange[],
  allowedRoots: readonly AllowedRoot[],
): Promise<void> {
  const { root, folder, disk } = ground
  for (const change of changes) await checkChange(ground, change, allowedRoots)
  const files = await Promise.all(changes.map((change) => recordFile(root, change)))
  const makes = await missingFolders(root, changes)
  const record: JournalRecord = { version: 1, ...purpose, makes, files }
  try {
    await writeIntent(disk, folder, record)
    for (const path of makes) await disk.makeFolder(join(root, path))
    for (const [index, change] of changes.entries())
      await writeTemporaryFile(ground, change, tempPath(record, change.path, index))
    for (const [index, change] of changes.entries()) {
      await replaceFile(ground, change, tempPath(record, change.path, index))
    }
    for (const path of record.removes) await disk.removeFolder(join(root, path))
    await disk.replace(recordPath(folder, record.id, 'intent'), recordPath(folder, record.id, 'done'))
  } catch (error) {
    await rollBackTransaction(ground, record, error)
  }
}

/** The state of a file compared with its unfinished record. */
export type FileState = 'before' | 'after' | 'other'

export async function fileStateOf(
  { root, disk }: TransactionContext,
  file: RecordedFile,
): Promise<FileState> {
  const hash = hashOf(await disk.read(join(root, file.path)))
  if (hash === file.beforeHash) return 'before'
  return hash === file.afterHash ? 'after' : 'other'
}

/**
 * Restores the former bytes of files that still have the record's bytes, and removes the record; files that a
 * person changed stay.
 */
export async function rollBackRecord(
  ground: TransactionContext,
  record: JournalRecord,
  state: RecordState,
): Promise<string[]> {
  const { root, folder, disk } = ground
  const restored: string[] = []
  for (const [index, file] of record.files.entries()) {
    const path = join(root, file.path)
    const temp = join(root, tempPath(record, file.path, index))
    await disk.remove(temp)
    if ((await fileStateOf(ground, file)) !== 'after') continue
    await checkOnDisk(root, file.path)
    const before = beforeOf(file)
    if (before === null) await disk.remove(path)
    else {
      for (const parent of await missingFolders(root, [{ path: file.path, after: before }])) {
        await disk.makeFolder(join(root, parent))
      }
      await disk.create(temp, before, {
        ...(await attributesOf(path)),
        mode: file.mode ?? undefined,
      })
      await disk.replace(temp, path)
    }
    restored.push(file.path)
  }
  for (const path of [...record.makes].reverse()) await disk.removeFolder(join(root, path))
  await disk.remove(recordPath(folder, record.id, state))
  return restored
}

async function checkChange(
  { root, disk, extensions }: TransactionContext,
  change: FileChange,
  allowedRoots: readonly AllowedRoot[],
): Promise<void> {
  const { path, before } = change
  checkPath(path, allowedRoots, extensions)
  await checkOnDisk(root, path)
  if (hashOf(await disk.read(join(root, path))) !== hashOf(before)) throw concurrentChangeError(path, before)
  await checkWritable(root, path)
}

/**
 * Checks write permission explicitly. A rename ignores the mode of the file, and root ignores that of the
 * folder; whoever removed the permission meant it.
 */
async function checkWritable(root: string, path: string): Promise<void> {
  const parts = path.split('/')
  const folders = parts.map((_, index) => parts.slice(0, index).join('/')).reverse()
  const modes = await Promise.all(folders.map((folder) => modeOf(join(root, folder))))
  const closest = modes.findIndex((mode) => mode !== null)
  for (const [place, mode] of [
    [path, await modeOf(join(root, path))],
    [folders[closest] || '.', modes[closest] ?? null],
  ] as const) {
    if (mode === null || (mode & 0o222) !== 0) continue
    throw new AutotestError('write_failed', `${place} is read-only; nothing was written`, {
      hint: `Make it writable (chmod u+w ${place}), or run with --dry-run.`,
    })
  }
}

async function recordFile(root: string, change: FileChange): Promise<RecordedFile> {
  return {
    path: change.path,
    mode: await modeOf(join(root, change.path)),
    before: change.before === null ? null : Buffer.from(change.before).toString('base64'),
    beforeHash: hashOf(change.before),
    afterHash: hashOf(change.after),
  }
}

/**
 * Writes the temporary file. Everything that needs space on the disk comes first: afterwards only names
 * change.
 */
async function writeTemporaryFile(
  { root, disk }: TransactionContext,
  { path, after, mode }: PlannedChange,
  temp: string,
): Promise<void> {
  if (after === null) return
  const attributes = await attributesOf(join(root, path))
  await disk.create(join(root, temp), after, { ...attributes, mode: attributes.mode ?? mode })
}

async function replaceFile(
  { root, disk }: TransactionContext,
  change: FileChange,
  temp: string,
): Promise<void> {
  const path = join(root, change.path)
  // An editor may have saved the file since it was checked.
  if (hashOf(await disk.read(path)) !== hashOf(change.before))
    throw concurrentChangeError(change.path, change.before)
  if (change.after === null) await disk.remove(path)
  else await disk.replace(join(root, temp), path)
}

async function rollBackTransaction(
  ground: TransactionContext,
  record: JournalRecord,
  error: unknown,
): Promise<never> {
  const { folder, disk } = ground
  try {
    await disk.remove(join(folder, `${record.id}.tmp`))
    await rollBackRecord(
      ground,
      record,
      (await disk.read(recordPath(folder, record.id, 'done'))) === null ? 'intent' : 'done',
    )
  } catch (second) {
    const message = `writing failed (${messageOf(error)}), and so did restoring the files (${messageOf(second)})`
    throw new AutotestError('write_failed', message, {
      hint: 'Fix the disk and run again: the journal contains the original files.',
      cause: error,
    })
  }
  if (error instanceof AutotestError) throw error
  throw new AutotestError('write_failed', `${whereOf(error)} could not be written: ${reasonOf(error)}`, {
    hint: 'No file was changed. Free disk space or make the folder writable, then run again.',
    cause: error,
  })
}

function concurrentChangeError(path: string, before: Uint8Array | null): AutotestError {
  const message = before === null ? 'was made' : 'was changed'
  return new AutotestError(
    'journal_conflict',
    `${path} ${message} by another program since it was read; it was not written`,
    {
      hint: 'Run again to repair the current file.',
    },
  )
}

/** Returns the folders that a new file needs, outermost first, relative to the root. */
async function missingFolders(
  root: string,
  changes: readonly Pick<FileChange, 'path' | 'after'>[],
): Promise<string[]> {
  const missing = new Set<string>()
  for (const { path, after } of changes) {
    const parts = after === null ? [] : path.split('/').slice(0, -1)
    for (const index of parts.keys()) {
      const folder = parts.slice(0, index + 1).join('/')
      if ((await modeOf(join(root, folder))) === null) missing.add(folder)
    }
  }
  return [...missing].sort((a, b) => a.split('/').length - b.split('/').length)
}

async function attributesOf(path: string): Promise<FileAttributes> {
  try {
    const { mode, uid, gid } = await lstat(path)
    return { mode: mode & 0o7777, owner: { uid, gid } }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return { mode: undefined }
    throw error
  }
}

async function modeOf(path: string): Promise<number | null> {
  return (await attributesOf(path)).mode ?? null
}

function whereOf(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? dirname(error.path)
    : 'a file'
}

function reasonOf(error: unknown): string {
  if (isErrno(error, 'ENOSPC', 'EDQUOT')) return 'the disk is full'
  if (isErrno(error, 'EACCES', 'EPERM')) return 'permission denied'
  if (isErrno(error, 'EROFS')) return 'the disk is read-only'
  return messageOf(error)
}
