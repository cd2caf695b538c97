import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'

/** A new folder below the system's folder for such, for the caller to remove. Throws `write_failed` where there is none. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    throw new AutotestError('write_failed', `no folder can be made in ${tmpdir()}: ${messageOf(error)}`, {
      hint: 'Let TMPDIR name a folder that can be written.',
      cause: error,
    })
  }
}
