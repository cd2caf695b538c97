import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'

/** A new folder below the system's folder for such, for the caller to remove. Throws `write_failed` where there is none. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    throw new AutotestError('write_failed', `cannot create a folder in ${tmpdir()}: ${messageOf(error)}`, {
      hint: 'Set TMPDIR to a writable folder.',
      cause: error,
    })
  }
}
