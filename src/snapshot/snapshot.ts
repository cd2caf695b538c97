import { createHash } from 'node:crypto'
import type { KnowledgeSource } from './knowledge-source.js'

/**
 * The knowledge of the agent: immutable files, keyed by POSIX path relative to the project root
 * (`kb/metrics/dau.yaml`). An edit yields a new snapshot; nothing here reads or writes the disk.
 */
export interface Snapshot {
  /** SHA-256 over sorted paths and bytes, in hex. Equal hash means equal knowledge. */
  readonly hash: string
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Which of the files are knowledge in a format of their own; absent: none. */
  readonly sources?: readonly KnowledgeSource[] | undefined
}

export function createSnapshot(
  files: ReadonlyMap<string, Uint8Array>,
  sources?: readonly KnowledgeSource[],
): Snapshot {
  const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
  const hash = createHash('sha256')
  for (const [path, bytes] of sorted) hash.update(`${path.length}:${path}:${bytes.length}:`).update(bytes)
  const snapshot = { hash: hash.digest('hex'), files: sorted }
  return sources === undefined ? snapshot : { ...snapshot, sources }
}

/** Returns a snapshot with the given files changed; `null` removes one. */
export function withFiles(snapshot: Snapshot, changes: ReadonlyMap<string, Uint8Array | null>): Snapshot {
  const files = new Map(snapshot.files)
  for (const [path, bytes] of changes) {
    if (bytes === null) files.delete(path)
    else files.set(path, bytes)
  }
  return createSnapshot(files, snapshot.sources)
}

/** Returns the paths whose bytes differ between two snapshots, sorted. */
export function changedPaths(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.files.keys(), ...after.files.keys()])
  return [...paths].filter((path) => !sameBytes(before.files.get(path), after.files.get(path))).sort()
}

/** Returns the text of a file, or undefined if the snapshot has none. A byte order mark is kept. */
export function readText(snapshot: Snapshot, path: string): string | undefined {
  const bytes = snapshot.files.get(path)
  return bytes === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return Buffer.compare(a, b) === 0
}
