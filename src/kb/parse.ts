import type { Snapshot } from '../snapshot/snapshot.js'
import { defaultFormat } from './default-format.js'
import type { KnowledgeBase } from './entry.js'
import type { KnowledgeAdapter } from './knowledge-adapter.js'

const parsed = new WeakMap<Snapshot, Map<string, KnowledgeBase>>()

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
  const kb = known.get(key) ?? format.read(snapshot, folder)
  known.set(key, kb)
  return kb
}
