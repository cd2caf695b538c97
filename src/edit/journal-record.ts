import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { AutotestError } from '../errors.js'
import { checkPath, knowledgeExtensions } from './allowed-path.js'
import type { DurableFileSystem } from './durable-file-system.js'
import { isErrno } from './errno.js'

const fileSchema = z.strictObject({
  path: z.string(),
  /** Permission bits before; null where there was no file. */
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
  /** Records that this one takes back. */
  undoes: z.array(idSchema).nullable(),
  /** Folders made for new files, outermost first. */
  makes: z.array(z.string()),
  /** Folders that go when they are empty, innermost first. */
  removes: z.array(z.string()),
  files: z.array(fileSchema),
})

/** One change of the user's files: what they were, and what they are to become. Paths are relative to the root. */
export type JournalRecord = z.infer<typeof recordSchema>
export type RecordedFile = z.infer<typeof fileSchema>

/** `intent`: under way, to be undone after a crash. `done`: whole, kept until the run is decided. */
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

/** The file beside the index-th one, in its folder, that new bytes are written to first; relative to the root. */
export function tempPath(record: Pick<JournalRecord, 'id' | 'pid'>, path: string, index: number): string {
  return posix.join(posix.dirname(path), `.autotest-${record.id}-${record.pid}-${index}.tmp`)
}

export function recordPath(folder: string, id: string, state: RecordState): string {
  return join(folder, `${id}.${state}.json`)
}

/** Writes the intent so that it is whole or absent whenever the machine stops. */
export async function writeIntent(
  disk: DurableFileSystem,
  folder: string,
  record: JournalRecord,
): Promise<void> {
  const temp = join(folder, `${record.id}.tmp`)
  await disk.create(temp, new TextEncoder().encode(JSON.stringify(record)), { mode: 0o600 })
  await disk.replace(temp, recordPath(folder, record.id, 'intent'))
}

/** All records in the order written; none where there is no journal. */
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

/** Records that were not even begun. */
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
    return validateRecord(recordSchema.parse(JSON.parse(await readFile(path, 'utf8'))))
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

/** A record may come with a repository that someone cloned: it names files of knowledge and their folders, or nothing. */
function validateRecord(record: JournalRecord): JournalRecord {
  for (const { path } of record.files) checkPath(path, ['.'], knowledgeExtensions)
  const stray = [...record.makes, ...record.removes].find(
    (folder) => !record.files.some(({ path }) => path.startsWith(`${folder}/`)),
  )
  if (stray !== undefined) throw new Error(`it names the folder ${stray}`)
  return record
}
