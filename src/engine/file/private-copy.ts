import { copyFileSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AutotestError, messageOf } from '../../errors.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'

const tries = 10
const pauseMs = 50

/**
 * Copies a database and its write-ahead log into a private temporary folder, retrying during writes.
 * `release` removes it, and so does the end of the process. Throws `engine_unavailable`.
 */
export async function privateCopy(
  path: string,
  logSuffix: string,
  name: string,
): Promise<{ path: string; release: () => void }> {
  const folder = makeTemporaryFolder('autotest-engine-')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const release = () => {
    process.off('exit', remove)
    remove()
  }
  const copy = join(folder, basename(path))
  try {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const before = state(path, logSuffix)
      copyFileSync(path, copy)
      // The log may be gone once the last writer has closed the database.
      if (size(path + logSuffix) !== undefined) copyFileSync(path + logSuffix, copy + logSuffix)
      else rmSync(copy + logSuffix, { force: true })
      if (state(path, logSuffix) === before) return { path: copy, release }
      await pause(pauseMs)
    }
  } catch (cause) {
    release()
    throw new AutotestError('engine_unavailable', `cannot copy ${name}: ${messageOf(cause)}`, {
      hint: 'A database in WAL mode is queried on a copy: free space in the temporary folder.',
      cause,
    })
  }
  release()
  throw new AutotestError('engine_unavailable', `${name} is being written to`, {
    hint: 'Wait for the writer to finish, or query a copy of the database.',
  })
}

function state(path: string, logSuffix: string): string {
  return `${size(path)} ${size(path + logSuffix)}`
}

function size(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.ino}:${found.size}:${found.mtimeMs}`
}
