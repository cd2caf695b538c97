import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { AutotestError } from '../errors.js'
import { readRegularFile } from '../platform/read-regular-file.js'
import { checkPath, writtenExtensions } from './allowed-path.js'
import type { DurableFileSystem } from './durable-file-system.js'
import { isErrno } from './is-errno.js'

const fileSchema = z.strictObject({
  path: z.string(),
  /** Permission bits before; null if the file did not exist. */
  mode: z.int().nullable(),
  /** Base64. */
  before: z.string().nullable(),
  beforeHash: z.string().nullable(),
  afterHash: z.string().nullable(),
})

const idSchema = z.string().regex(/^\d{6,}$/)

const recordSchema = z.strictObject({
  version: z.literal(1),
  id: idSchema,
  runId: z.string(),
  repairId: z.string(),
  /** ISO time. */
  writtenAt: z.string(),
  pid: z.int(),
  /** Ids of the records that this one reverts. */
  undoes: z.array(idSchema).nullable(),
  /** Folders created for new files, outermost first. */
  makes: z.array(z.string()),
  /** Folders to remove if empty, innermost first. */
  removes: z.array(z.string()),
  files: z.array(fileSchema),
})

/** One change of the user's files: their former and new content. Paths are relative to the root. */
export type JournalRecord = z.infer<typeof recordSchema>
export type RecordedFile = z.infer<typeof fileSchema>

/** `intent`: in progress, to be undone after a crash. `done`: complete, kept until the run is settled. */
export type RecordState = 'intent' | 'done'

export interface StoredRecord {
  readonly state: RecordState
  readonly record: JournalRecord
}

export function hashOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex')
}

export function beforeOf(file: RecordedFile): Uint8Array | null {
  return file.before === null ? null : Uint8Array.from(Buffer.from(file.before, 'base64'))
}

/**
 * Returns the path, relative to the root, of the temporary file for the new bytes of file `index`, in the
 * same folder.
 */
export function tempPath(record: Pick<JournalRecord, 'id' | 'pid'>, path: string, index: number): string {
  return posix.join(posix.dirname(path), `.autotest-${record.id}-${record.pid}-${index}.tmp`)
}

export function recordPath(folder: string, id: string, state: RecordState): string {
  return join(folder, `${id}.${state}.json`)
}

/** Writes the intent atomically: after a crash it is complete or absent. */
export async function writeIntent(
  disk: DurableFileSystem,
  folder: string,
  record: JournalRecord,
): Promise<void> {
  const temp = join(folder, `${record.id}.tmp`)
  await disk.create(temp, new TextEncoder().encode(JSON.stringify(record)), { mode: 0o600 })
  await disk.replace(temp, recordPath(folder, record.id, 'intent'))
}

/** Returns all records in the order written; none if there is no journal. */
export async function readRecords(folder: string): Promise<StoredRecord[]> {
  const names = await fileNamesIn(folder)
  const found = names.flatMap((name) => {
    const [, id, state] = /^(\d{6,})\.(intent|done)\.json$/.exec(name) ?? []
    return id === undefined
      ? []
      : [{ name, id, state: state === 'intent' ? ('intent' as const) : ('done' as const) }]
  })
  return Promise.all(
    found
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map(async ({ name, state }) => ({ state, record: await readRecord(join(folder, name)) })),
  )
}

/** Returns the paths of records whose intent was not completely written. */
export async function unfinishedRecords(folder: string): Promise<string[]> {
  return (await fileNamesIn(folder)).filter((name) => name.endsWith('.tmp')).map((name) => join(folder, name))
}

async function fileNamesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

async function readRecord(path: string): Promise<JournalRecord> {
  try {
    return validateRecord(recordSchema.parse(JSON.parse((await readRegularFile(path)).toString('utf8'))))
  } catch (cause) {
    throw new AutotestError(
      'journal_conflict',
      `${path} is unreadable, so it is unknown what an earlier run wrote`,
      {
        hint: 'Compare the knowledge base with version control, then delete this file.',
        cause,
      },
    )
  }
}

/**
 * Validates a record, which may be part of a repository that someone cloned: it must name only knowledge
 * files and their folders.
 */
function validateRecord(record: JournalRecord): JournalRecord {
  for (const { path } of record.files) checkPath(path, [{ path: '.', isNamed: true }], writtenExtensions)
  const stray = [...record.makes, ...record.removes].find(
    (folder) => !record.files.some(({ path }) => path.startsWith(`${folder}/`)),
  )
  if (stray !== undefined) throw new Error(`it names the folder ${stray}`)
  return record
}
