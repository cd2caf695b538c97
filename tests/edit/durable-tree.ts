import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Call } from './traced-fs.js'

interface File {
  bytes: Uint8Array
  /** What a power cut leaves of it. */
  synced: Uint8Array
  readonly mode: number
}

type Entries = Map<string, File | 'folder'>

/** What survives a power cut: names, contents, both, or neither of what was not synced. */
export const losses = [
  { names: false, contents: false },
  { names: true, contents: false },
  { names: false, contents: true },
  { names: true, contents: true },
] as const
export type Loss = (typeof losses)[number]

/**
 * A disk that keeps what was synced for certain, and the rest as it pleases: contents are safe after their file's sync,
 * names after their folder's.
 */
export class DurableTree {
  private readonly root: string
  private readonly entries: Entries = new Map()
  private readonly safe: Entries = new Map()

  constructor(root: string) {
    this.root = root
    this.read('')
    for (const [path, entry] of this.entries) this.safe.set(path, entry)
  }

  private read(below: string): void {
    for (const name of readdirSync(join(this.root, below))) {
      const path = join(below, name)
      const stats = lstatSync(join(this.root, path))
      if (stats.isDirectory()) {
        this.entries.set(path, 'folder')
        this.read(path)
      } else {
        const bytes = Uint8Array.from(readFileSync(join(this.root, path)))
        this.entries.set(path, { bytes, synced: bytes, mode: stats.mode & 0o7777 })
      }
    }
  }

  /** Follows a call that worked. */
  apply({ name, path, to, bytes }: Call): void {
    const own = path.slice(this.root.length + 1)
    const entry = this.entries.get(own)
    if (name === 'open' && entry === undefined && own !== '')
      this.entries.set(own, { bytes: new Uint8Array(), synced: new Uint8Array(), mode: this.modeOf(path) })
    if (name === 'handle.writeFile' && typeof entry === 'object') entry.bytes = bytes ?? new Uint8Array()
    if (name === 'handle.chmod' && typeof entry === 'object')
      this.entries.set(own, Object.assign(entry, { mode: this.modeOf(path) }))
    if (name === 'handle.sync' && typeof entry === 'object') entry.synced = entry.bytes
    if (name === 'handle.sync' && typeof entry !== 'object') this.syncNames(own)
    if (name === 'mkdir') this.entries.set(own, 'folder')
    if (name === 'rm' || name === 'rmdir') this.entries.delete(own)
    if (name === 'rename' && entry !== undefined && to !== undefined) {
      this.entries.delete(own)
      this.entries.set(to.slice(this.root.length + 1), entry)
    }
  }

  private modeOf(path: string): number {
    return lstatSync(path).mode & 0o7777
  }

  private syncNames(folder: string): void {
    const isIn = (path: string): boolean => (dirname(path) === '.' ? '' : dirname(path)) === folder
    for (const path of [...this.safe.keys()])
      if (isIn(path) && !this.entries.has(path)) this.safe.delete(path)
    for (const [path, entry] of this.entries) if (isIn(path)) this.safe.set(path, entry)
  }

  /** Puts what a power cut leaves into an empty folder. */
  writeTo(target: string, { names, contents }: Loss): void {
    const entries = names ? this.entries : this.safe
    const known = [...entries].sort(([a], [b]) => a.split('/').length - b.split('/').length)
    for (const [path, entry] of known) {
      const parent = dirname(path)
      if (parent !== '.' && entries.get(parent) !== 'folder') continue
      if (entry === 'folder') mkdirSync(join(target, path))
      else {
        writeFileSync(join(target, parent, basename(path)), contents ? entry.bytes : entry.synced)
        chmodSync(join(target, path), entry.mode)
      }
    }
  }
}
