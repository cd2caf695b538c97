import type { KnowledgeSource } from '../snapshot/knowledge-source.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { entryFormats } from './all-formats.js'
import { defaultFormat } from './default-format.js'
import type { KnowledgeEntry } from './entries/entry-format.js'
import { type Entries, openEntries } from './entries/open-entries.js'
import type { KnowledgeBase } from './entry.js'
import type { KnowledgeAdapter } from './knowledge-adapter.js'

const parsed = new WeakMap<Snapshot, Map<string, KnowledgeBase>>()
const opened = new WeakMap<Snapshot, Entries>()

/**
 * Parses the knowledge base in a folder of the snapshot. Never throws: a file that cannot be used becomes a
 * problem with its position, and the others load. The same snapshot returns the same object.
 */
export function parseKnowledgeBase(
  snapshot: Snapshot,
  folder: string,
  format: KnowledgeAdapter = defaultFormat,
): KnowledgeBase {
  const known = parsed.get(snapshot) ?? new Map<string, KnowledgeBase>()
  parsed.set(snapshot, known)
  const key = `${format.name}\0${folder}`
  const kb = known.get(key) ?? withEntries(format.read(snapshot, folder), snapshot)
  known.set(key, kb)
  return kb
}

/** Returns the entries of these sources. */
export function openSources(snapshot: Snapshot, sources: readonly KnowledgeSource[]): Entries {
  return openEntries(snapshot, sources, entryFormats)
}

/** Returns the entries of the sources of a snapshot in formats of their own. The same snapshot returns the same object. */
export function entriesOf(snapshot: Snapshot): Entries {
  const entries = opened.get(snapshot) ?? openSources(snapshot, snapshot.sources ?? [])
  opened.set(snapshot, entries)
  return entries
}

/** Returns the snapshot without these entries of its sources, each with its question. */
export function withoutEntries(snapshot: Snapshot, entries: readonly KnowledgeEntry[]): Snapshot {
  return entriesOf(snapshot).without(new Set(entries.map(({ id }) => id)))
}

function withEntries(kb: KnowledgeBase, snapshot: Snapshot): KnowledgeBase {
  return snapshot.sources === undefined ? kb : { ...kb, entries: entriesOf(snapshot).entries }
}
