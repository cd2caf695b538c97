import type { Database, Statement } from '../platform/sqlite.js'
import type { TableAccess } from './table-access.js'

/** A write of an agent of a role that was refused. */
export interface RefusalRecord {
  /** ISO timestamp, UTC. */
  readonly at: string
  /** Of the project, absolute. */
  readonly root: string
  readonly role: string
  readonly source: 'guard' | 'sandbox' | 'tdd'
  /** As the agent named it, or relative to the root. */
  readonly path: string
  readonly reason: string
}

const mostCharacters = 500

/** The refused writes of a run database. */
export class RefusalRows {
  readonly #access: TableAccess
  readonly #insert: Statement<unknown[]>
  readonly #latest: Statement<unknown[], RefusalRecord>

  constructor(database: Database, access: TableAccess) {
    this.#access = access
    this.#insert = database.prepare(
      'INSERT INTO refusals (at, root, role, source, path, reason) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#latest = database.prepare<unknown[], RefusalRecord>(
      'SELECT at, root, role, source, path, reason FROM refusals WHERE root = ? ORDER BY seq DESC LIMIT ?',
    )
  }

  record(refusals: readonly RefusalRecord[]): void {
    const { write, redact } = this.#access
    const clean = (text: string): string => redact(text).slice(0, mostCharacters)
    write(() => {
      for (const { at, root, role, source, path, reason } of refusals)
        this.#insert.run(at, root, role, source, clean(path), clean(reason))
    })
  }

  /** Returns those of a project, newest first. */
  latest(root: string, limit: number): readonly RefusalRecord[] {
    return this.#access.write(() => this.#latest.all(root, limit))
  }
}
