import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import { ensureStateFolder } from './state-folder.js'

export interface ProjectLock {
  /** Releases the lock; a second call does nothing. */
  release(): void
}

/**
 * Makes this process the only writing run of a project. The lock is SQLite's on `.autotest/lock.db`, so the
 * system releases it when the process dies. Throws `project_locked`, naming the process that has the lock, or
 * `write_failed` in a read-only project.
 */
export async function lockProject(root: string): Promise<ProjectLock> {
  const folder = await ensureStateFolder(root)
  const file = join(folder, 'lock.db')
  const holderFile = join(folder, 'lock.json')
  const { Sqlite } = await import('../platform/sqlite.js')
  const database = open()

  function open() {
    let opened: InstanceType<typeof Sqlite> | undefined
    try {
      opened = new Sqlite(file, { timeout: 0 })
      opened.exec('BEGIN EXCLUSIVE')
      return opened
    } catch (cause) {
      opened?.close()
      if (cause instanceof Sqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY')) {
        throw new AutotestError(
          'project_locked',
          `another run has locked this project${holder(holderFile)}`,
          {
            hint: 'Wait for it or stop it; --no-repair needs no lock.',
            cause,
          },
        )
      }
      throw new AutotestError('write_failed', `${file} cannot be used: ${messageOf(cause)}`, {
        hint: 'Make the project folder writable; if the file is damaged, delete it.',
        cause,
      })
    }
  }

  try {
    writeFileSync(holderFile, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }))
  } catch (cause) {
    database.close()
    throw new AutotestError('write_failed', `${holderFile} cannot be written: ${messageOf(cause)}`, { cause })
  }
  return {
    release() {
      if (!database.open) return
      rmSync(holderFile, { force: true })
      database.exec('ROLLBACK')
      database.close()
    },
  }
}

/**
 * Describes the process that has the lock. The side file only serves this message: it may not be written yet,
 * or be removed already.
 */
function holder(file: string): string {
  try {
    const { pid, since }: { pid?: unknown; since?: unknown } = JSON.parse(readFileSync(file, 'utf8'))
    const start = new Date(String(since))
    if (typeof pid !== 'number' || Number.isNaN(start.getTime())) return ''
    const today = start.toDateString() === new Date().toDateString()
    // The Swedish locale formats dates and times as ISO does, in local time.
    return ` (pid ${pid}, since ${today ? start.toLocaleTimeString('sv-SE') : start.toLocaleString('sv-SE')})`
  } catch (error) {
    if (error instanceof Error) return ''
    throw error
  }
}
