import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'

/**
 * Creates a folder in the system's folder for temporary files, for the caller to remove. Throws
 * `write_failed` if that is impossible.
 */
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
