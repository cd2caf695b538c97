import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'

export type { Database, Statement } from 'better-sqlite3'

/** Version 13 is built for it; on a Node without, which is every Node 20, it ends the process with a fault of memory. */
const nodeApi = 10

/**
 * better-sqlite3 as the Node in use can load it. Version 12 is the last for Node 20, and aborts the process on Node 24.19 and
 * later while it collects garbage.
 */
export const Sqlite: typeof BetterSqlite =
  Number(process.versions['napi']) >= nodeApi
    ? createRequire(import.meta.url)('better-sqlite3-13')
    : createRequire(import.meta.url)('better-sqlite3')
