import { open } from 'node:fs/promises'

/**
 * Resolves once what was committed to the database at `path`, which is in WAL mode, survives a power cut: its log is
 * synced on another thread, while this one goes on.
 */
export async function syncWal(path: string): Promise<void> {
  try {
    // Locks are taken on the other two files, so that closing this one gives none of them up.
    const log = await open(`${path}-wal`, 'r+')
    try {
      await log.sync()
    } finally {
      await log.close()
    }
  } catch (error) {
    // Closed since: the last to close a database syncs it and takes its log away.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
}
