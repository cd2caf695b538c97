import { editConflict } from '../../edit/edit-conflict.js'
import type { ColumnMap, KnowledgeSource } from '../../snapshot/knowledge-source.js'
import { readText, type Snapshot, withFiles } from '../../snapshot/snapshot.js'
import { hashOf, type RegionEdit } from './apply-region-edit.js'
import type { EntryFormat, KnowledgeEntry, Skipped } from './entry-format.js'
import { spliceText } from './splice-text.js'

/** A file that a format reads. */
export interface TakenFile {
  readonly path: string
  readonly format: string
  /** Why, in words. */
  readonly reason: string
}

export interface Entries {
  readonly entries: readonly KnowledgeEntry[]
  readonly skipped: readonly Skipped[]
  readonly taken: readonly TakenFile[]
  /** Files in which no format found anything, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[]
  /** Returns the edit that makes an entry mean `text`. Throws `edit_conflict` if it must or can not be edited. */
  encode(entry: KnowledgeEntry, text: string): RegionEdit
  /** Returns the knowledge without these entries, with everything that goes with them. */
  without(ids: ReadonlySet<string>): Snapshot
}

interface FileEntries {
  readonly file: TakenFile
  readonly entries: readonly KnowledgeEntry[]
  readonly skipped: readonly Skipped[]
}

type FileOutcome = FileEntries | { readonly path: string; readonly why: string }

// Snapshots derived from one another share the bytes of unchanged files: those are read once.
const read = new WeakMap<Uint8Array, Map<string, FileOutcome>>()

/** Reads the entries of several sources; a file belongs to the first source that names it. Never throws. */
export function openEntries(
  snapshot: Snapshot,
  sources: readonly KnowledgeSource[],
  formats: readonly EntryFormat[],
): Entries {
  const found: FileEntries[] = []
  const left: { readonly path: string; readonly why: string }[] = []
  for (const [path, bytes] of snapshot.files) {
    const source = sources.find((each) => isBelow(path, each.path))
    if (source === undefined) continue
    const key = JSON.stringify([path, source.format, source.columns])
    const known = read.get(bytes) ?? new Map<string, FileOutcome>()
    read.set(bytes, known)
    const outcome = known.get(key) ?? readFile(path, bytes, source, formats)
    known.set(key, outcome)
    if ('why' in outcome) left.push(outcome)
    else found.push(outcome)
  }
  const formatOf = new Map(
    found.map(({ file }) => [file.path, formats.find(({ name }) => name === file.format)]),
  )
  const columnsOf = (path: string): ColumnMap | undefined =>
    sources.find((each) => isBelow(path, each.path))?.columns
  const entries = found.flatMap((file) => file.entries)
  return {
    entries,
    skipped: found.flatMap((file) => file.skipped),
    taken: found.map(({ file }) => file),
    left,
    encode(entry, text) {
      const file = readText(snapshot, entry.path)
      const format = formatOf.get(entry.path)
      if (file === undefined || format === undefined) throw editConflict(entry.path, 'the file is not there')
      if (entry.readOnly !== undefined)
        throw editConflict(entry.path, `line ${entry.line} is not edited: ${entry.readOnly}`)
      return encoded(entry, text, file, format, columnsOf(entry.path))
    },
    without: (ids) => withoutEntries(snapshot, entries, ids),
  }
}

function readFile(
  path: string,
  bytes: Uint8Array,
  source: KnowledgeSource,
  formats: readonly EntryFormat[],
): FileOutcome {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { path, why: 'it is not UTF-8' }
  }
  if (text.includes('\0')) return { path, why: 'it contains NUL characters' }
  const named = formats.filter(({ name }) => name === source.format)
  const claims = (source.format === 'auto' ? formats : named).flatMap((format) => {
    const reason = format.claim(path, text)
    return reason === undefined ? [] : [{ format, reason }]
  })
  const [first, ...others] = claims
  if (first === undefined)
    return {
      path,
      why: source.format === 'auto' ? 'no format claims it' : `it is not in the format ${source.format}`,
    }
  const also =
    others.length === 0 ? '' : `; ${others.map(({ format }) => format.name).join(', ')} would read it, too`
  const file = { path, format: first.format.name, reason: `${first.reason}${also}` }
  return { file, ...first.format.read(path, text, source.columns) }
}

/**
 * An entry that was written must be read back as what was meant, and nothing beside it may have changed. The changed part alone
 * is written where that is so; else the format writes the whole.
 */
function encoded(
  entry: KnowledgeEntry,
  text: string,
  file: string,
  format: EntryFormat,
  columns: ColumnMap | undefined,
): RegionEdit {
  const { path, span, id } = entry
  const before = format.read(path, file, columns).entries
  const isRight = (written: string): boolean => {
    const after = file.slice(0, span.start) + written + file.slice(span.end)
    const now = format.read(path, after, columns).entries
    return (
      now.length === before.length &&
      now.every((each, at) => each.text === (each.id === id ? text : before[at]?.text)) &&
      now.some((each) => each.id === id)
    )
  }
  const spliced = spliceText(file.slice(span.start, span.end), entry.text, text)
  const isSpliced = spliced !== undefined && isRight(spliced)
  const written = isSpliced ? spliced : format.encode(entry, text, file)
  if (!isSpliced && !isRight(written))
    throw editConflict(path, `line ${entry.line} cannot be written without changing what is around it`)
  return { path, span, expectedHash: hashOf(file), bytes: new TextEncoder().encode(written) }
}

function withoutEntries(
  snapshot: Snapshot,
  entries: readonly KnowledgeEntry[],
  ids: ReadonlySet<string>,
): Snapshot {
  const gone = entries.filter(({ id }) => ids.has(id))
  const changes = new Map<string, Uint8Array>()
  for (const path of new Set(gone.map((entry) => entry.path))) {
    const spans = gone.filter((entry) => entry.path === path).map(({ whole }) => whole)
    let text = readText(snapshot, path) ?? ''
    for (const { start, end } of merged(spans).toReversed()) text = text.slice(0, start) + text.slice(end)
    changes.set(path, new TextEncoder().encode(text))
  }
  return changes.size === 0 ? snapshot : withFiles(snapshot, changes)
}

function merged(spans: readonly { readonly start: number; readonly end: number }[]): {
  start: number
  end: number
}[] {
  const result: { start: number; end: number }[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}

function isBelow(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}
