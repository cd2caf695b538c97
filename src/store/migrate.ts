import type { Database } from '../platform/sqlite.js'
import { migrations } from './migrations.js'

/** `autt`: distinguishes a run database from any other SQLite file. */
export const applicationId = 0x61757474

/** Returns the number of migration steps applied to the file; 0 for a blank one. */
export function schemaVersion(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/**
 * Applies the missing steps, each in one transaction. A file with runs is copied to `backup` first. Safe when
 * two processes open a blank file at once: the second one finds the steps done.
 */
export function migrate(database: Database, backup: string, steps: readonly string[] = migrations): void {
  const before = schemaVersion(database)
  if (before >= steps.length) return
  if (before > 0) database.prepare('VACUUM INTO ?').run(backup)
  steps.forEach((step, at) => {
    database
      .transaction(() => {
        if (schemaVersion(database) > at) return
        database.exec(step)
        database.pragma(`application_id = ${applicationId}`)
        database.pragma(`user_version = ${at + 1}`)
      })
      .exclusive()
  })
}
