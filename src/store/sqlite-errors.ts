import { AutotestError, messageOf } from '../errors.js'

/** Returns the SQLite or system code of an error: `SQLITE_BUSY`, `EACCES`; empty if it has none. */
function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(errorCodeOf(error))
}

/** Converts errors of SQLite or the file system to `store_unavailable`; returns any other error unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  const code = errorCodeOf(error)
  if (error instanceof AutotestError || !/^(SQLITE_|E[A-Z]+$)/.test(code)) return error
  // Caused by a statement of this program: a bug, which keeps its stack.
  if (/^SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|MISUSE)/.test(code)) return error
  const { what, hint } = explainErrorCode(code)
  return new AutotestError('store_unavailable', `${path}: ${what} (${messageOf(error)})`, {
    hint,
    cause: error,
  })
}

function explainErrorCode(code: string): { what: string; hint: string } {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return {
      what: 'the run database is locked by another process',
      hint: 'Wait until it finishes, or record this run elsewhere: --db FILE.',
    }
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return {
      what: 'the run database is damaged',
      hint: 'Move it away and run again, or record this run elsewhere: --db FILE.',
    }
  }
  if (/^SQLITE_FULL|^ENOSPC/.test(code)) {
    return {
      what: 'no space left for the run database',
      hint: 'Free disk space, or use another disk: --db FILE.',
    }
  }
  if (/^SQLITE_(READONLY|PERM|CANTOPEN)|^E(ACCES|ROFS|PERM)/.test(code)) {
    return {
      what: 'the run database cannot be opened or written',
      hint: 'Make the folder and the file writable, or record this run elsewhere: --db FILE.',
    }
  }
  return { what: 'the run database cannot be used', hint: 'Record this run elsewhere: --db FILE.' }
}

/** Does work on the database at `path`; its failures are thrown as `store_unavailable`. */
export function withStoreErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toStoreError(error, path)
  }
}
