import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { AutotestError } from '../errors.js'
import { type AllowedRoot, entryExtensions, knowledgeExtensions } from './allowed-path.js'
import type { FileChange } from './apply-edits.js'
import { createDurableFileSystem, type StepHook } from './durable-file-system.js'
import {
  fileStateOf,
  type PlannedChange,
  rollBackRecord,
  runTransaction,
  type TransactionContext,
} from './file-transaction.js'
import {
  beforeOf,
  hashOf,
  readRecords,
  recordPath,
  type StoredRecord,
  unfinishedRecords,
} from './journal-record.js'
import { ensureStateFolder } from './state-folder.js'

/** One file of a completed write. */
interface JournalEntry {
  readonly repairId: string
  /** ISO time. */
  readonly writtenAt: string
  readonly path: string
  readonly before: Uint8Array | null
}

/** The only writer of the user's files. Its caller must have the project's lock. */
export interface Journal {
  /**
   * Writes the changes of one repair, all or none, and keeps the former bytes until `settle`. Throws
   * `journal_conflict` if a file differs from `before`, `path_refused`, or `write_failed` with all files
   * unchanged.
   */
  write(runId: string, repairId: string, changes: readonly FileChange[]): Promise<void>
  /** Returns the unsettled writes of a run, oldest first. */
  entriesOf(runId: string): Promise<JournalEntry[]>
  /**
   * Restores the bytes from before a run, or before one repair of it, all or none; returns the paths. Throws
   * `journal_conflict`, naming the file, if one was changed since.
   */
  revert(runId: string, repairId?: string): Promise<string[]>
  /** Deletes the former bytes: the run's edits were kept, committed or reverted. */
  settle(runId: string): Promise<void>
}

export interface JournalOptions {
  readonly root: string
  /** Folders, relative to the root, that may be written to. */
  readonly allowedRoots: readonly AllowedRoot[]
  /** File name extensions that may be written; absent: those of knowledge files. */
  readonly extensions?: readonly string[] | undefined
  readonly now: () => Date
  readonly pid: number
  readonly step?: StepHook | undefined
}

/** The files that an unfinished write had changed and that were restored. */
export interface Recovery {
  readonly runId: string
  readonly repairId: string
  readonly restored: readonly string[]
}

/**
 * Opens a project's journal; `recoverUnfinishedWrites` must run first. Nothing is created on disk before the
 * first write.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { root, allowedRoots, now, pid, step, extensions } = options
  const ground = await openTransactionContext(root, step, extensions)

  async function perform(
    purpose: { runId: string; repairId: string; undoes: string[] | null; removes: string[] },
    changes: readonly PlannedChange[],
  ) {
    await ensureStateFolder(ground.root, 'journal', ground.disk)
    const id = await nextId(ground)
    await runTransaction(
      ground,
      { id, writtenAt: now().toISOString(), pid, ...purpose },
      changes,
      allowedRoots,
    )
  }

  return {
    write: (runId, repairId, changes) => perform({ runId, repairId, undoes: null, removes: [] }, changes),
    async entriesOf(runId) {
      return (await completedRecords(ground, runId)).flatMap(({ record: { repairId, writtenAt, files } }) =>
        files.map((file) => ({ repairId, writtenAt, path: file.path, before: beforeOf(file) })),
      )
    },
    async revert(runId, repairId) {
      const done = await completedRecords(ground, runId)
      const chosen = done.filter(({ record: { repairId: id } }) => repairId === undefined || id === repairId)
      if (chosen.length === 0) {
        throw new AutotestError(
          'run_unknown',
          `the journal contains nothing that ${[runId, repairId].filter(Boolean).join(' ')} wrote`,
        )
      }
      const changes = await planRollback(ground, chosen, done)
      const undoes = chosen.map((stored) => stored.record.id)
      const removes = chosen.flatMap((stored) => stored.record.makes).reverse()
      await perform({ runId, repairId: repairId ?? '', undoes, removes }, changes)
      await removeCompletedRollbacks(ground)
      return changes.map((change) => change.path)
    },
    async settle(runId) {
      for (const { record: settled } of await completedRecords(ground, runId)) {
        await ground.disk.remove(recordPath(ground.folder, settled.id, 'done'))
      }
    },
  }
}

/** Reports whether a process was killed while it wrote files, or is writing them now. */
export async function hasUnfinishedWrites(root: string): Promise<boolean> {
  const { folder } = await openTransactionContext(root, undefined)
  return (await readRecords(folder)).some(({ state }) => state === 'intent')
}

/**
 * Undoes the unfinished writes of a killed process, from the bytes in the journal. Throws `journal_conflict`,
 * changing nothing and keeping the record, if a file equals neither its former nor its new content: a person
 * edited it. The caller must have the lock.
 */
export async function recoverUnfinishedWrites(root: string, step?: StepHook): Promise<Recovery[]> {
  const ground = await openTransactionContext(root, step)
  for (const path of await unfinishedRecords(ground.folder)) await ground.disk.remove(path)
  await removeCompletedRollbacks(ground)
  const recoveries: Recovery[] = []
  for (const { state, record } of (await readRecords(ground.folder)).reverse()) {
    if (state !== 'intent') continue
    for (const file of record.files) {
      if ((await fileStateOf(ground, file)) !== 'other') continue
      const kept = recordPath(ground.folder, record.id, state)
      throw new AutotestError(
        'journal_conflict',
        `${file.path} was edited after run ${record.runId} was killed while writing it`,
        {
          hint: `Nothing was changed. Correct ${record.files.map(({ path }) => path).join(', ')} by hand, then delete ${kept}.`,
        },
      )
    }
    const restored = await rollBackRecord(ground, record, state)
    recoveries.push({ runId: record.runId, repairId: record.repairId, restored })
  }
  return recoveries
}

/**
 * Restores the content before the given changes (oldest first, several to a file allowed), all or none, from
 * bytes that the caller kept (in the run database). A file must equal the result of one of its changes, or
 * its former content. Returns the paths restored. Throws `journal_conflict`, naming the file, if one was
 * changed since.
 */
export async function restoreFiles(
  root: string,
  files: readonly FileChange[],
  step?: StepHook,
): Promise<string[]> {
  // What a run wrote is given back, whatever is configured by now.
  const ground = await openTransactionContext(root, step, [...knowledgeExtensions, ...entryExtensions])
  const changes: FileChange[] = []
  for (const path of new Set(files.map((file) => file.path))) {
    const writes = files.filter((file) => file.path === path)
    const before = writes[0]?.before ?? null
    const current = await ground.disk.read(join(ground.root, path))
    if (hashOf(current) === hashOf(before)) continue
    if (!writes.some(({ after }) => hashOf(after) === hashOf(current))) throw changedSinceError(path)
    changes.push({ path, before: current, after: before })
  }
  if (changes.length === 0) return []
  await ensureStateFolder(ground.root, 'journal', ground.disk)
  const purpose = {
    id: await nextId(ground),
    runId: '',
    repairId: '',
    undoes: [],
    removes: [],
    pid: process.pid,
  }
  await runTransaction(ground, { ...purpose, writtenAt: new Date().toISOString() }, changes, [
    { path: '.', isNamed: true },
  ])
  await removeCompletedRollbacks(ground)
  return changes.map((change) => change.path)
}

/** Returns the changed files that `restoreFiles` would refuse in their present state. */
export async function findFilesChangedSince(root: string, files: readonly FileChange[]): Promise<string[]> {
  const ground = await openTransactionContext(root, undefined)
  const changed: string[] = []
  for (const path of new Set(files.map((file) => file.path))) {
    const writes = files.filter((file) => file.path === path)
    const current = hashOf(await ground.disk.read(join(ground.root, path)))
    const known = [writes[0]?.before ?? null, ...writes.map(({ after }) => after)]
    if (!known.some((state) => hashOf(state) === current)) changed.push(path)
  }
  return changed
}

async function openTransactionContext(
  root: string,
  step: StepHook | undefined,
  extensions = knowledgeExtensions,
): Promise<TransactionContext> {
  const real = await realpath(root)
  const folder = join(real, '.autotest', 'journal')
  return { root: real, folder, disk: createDurableFileSystem(step), extensions }
}

async function nextId({ folder }: TransactionContext): Promise<string> {
  const records = await readRecords(folder)
  const unfinished = records.find(({ state }) => state === 'intent')
  if (unfinished !== undefined) {
    throw new AutotestError(
      'journal_conflict',
      `an earlier run (${unfinished.record.runId}) did not finish writing`,
      {
        hint: 'Run again: its files are restored at the start.',
      },
    )
  }
  return String(Number(records.at(-1)?.record.id ?? 0) + 1).padStart(6, '0')
}

async function completedRecords({ folder }: TransactionContext, runId: string): Promise<StoredRecord[]> {
  return (await readRecords(folder)).filter(
    ({ state, record }) => state === 'done' && record.undoes === null && record.runId === runId,
  )
}

/** Plans the changes from the last content written by the records to the first former content. */
async function planRollback(
  ground: TransactionContext,
  chosen: readonly StoredRecord[],
  done: readonly StoredRecord[],
): Promise<PlannedChange[]> {
  const paths = new Set(chosen.flatMap(({ record }) => record.files.map((file) => file.path)))
  const changes: PlannedChange[] = []
  for (const path of paths) {
    const writes = done.flatMap((stored) =>
      stored.record.files.filter((file) => file.path === path).map((file) => ({ stored, file })),
    )
    const first = writes.findIndex(({ stored }) => chosen.includes(stored))
    const later = writes.slice(first).find(({ stored }) => !chosen.includes(stored))
    if (later !== undefined) throw changedSinceError(path, later.stored.record.repairId)
    const current = await ground.disk.read(join(ground.root, path))
    const [oldest, newest] = [writes[first]?.file, writes.at(-1)?.file]
    if (oldest === undefined || hashOf(current) !== newest?.afterHash) throw changedSinceError(path)
    changes.push({ path, before: current, after: beforeOf(oldest), mode: oldest.mode ?? undefined })
  }
  return changes
}

/** Removes completed rollbacks together with the records that they reverted. */
async function removeCompletedRollbacks({ folder, disk }: TransactionContext): Promise<void> {
  for (const { state, record } of await readRecords(folder)) {
    if (state !== 'done' || record.undoes === null) continue
    for (const id of record.undoes) await disk.remove(recordPath(folder, id, 'done'))
    await disk.remove(recordPath(folder, record.id, 'done'))
  }
}

function changedSinceError(path: string, repairId?: string): AutotestError {
  const by = repairId === undefined ? '' : ` by repair ${repairId}`
  return new AutotestError(
    'journal_conflict',
    `${path} was changed${by} since the repair; nothing was reverted`,
    {
      hint:
        repairId === undefined
          ? 'Undo your own change of it first, or undo the repair by hand.'
          : `Revert ${repairId} first, or the whole run.`,
    },
  )
}
