import { open } from 'node:fs/promises'

/**
 * Resolves once everything committed to the database at `path`, which is in WAL mode, survives a power
 * failure: its log is synced on another thread, while this one continues.
 */
export async function syncWal(path: string): Promise<void> {
  try {
    // Locks are taken on the other two files, so that closing this one releases none of them.
    const log = await open(`${path}-wal`, 'r+')
    try {
      await log.sync()
    } finally {
      await log.close()
    }
  } catch (error) {
    // Closed in the meantime: the last connection to close a database syncs it and removes its log.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
}
