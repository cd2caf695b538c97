import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { AutotestError, messageOf } from '../../errors.js'
import { kindOf } from '../../platform/read-regular-file.js'
import { pointerFile } from '../../snapshot/pointer-file.js'

/** How to recognise a database file of one kind. */
export interface FileFormat {
  /** For people: `SQLite`. */
  readonly title: string
  readonly isDatabase: (head: Buffer) => boolean
}

const headBytes = 100

/**
 * Returns the first bytes of a database file, after checking its format. `name` is the path as configured.
 * Throws `engine_unavailable` if it is missing, a folder, unreadable or of another format.
 */
export function readDatabaseHeader(path: string, name: string, format: FileFormat): Buffer {
  const head = readHeader(path, name)
  if (format.isDatabase(head)) return head
  const pointer = pointerFile(head, name)
  if (pointer !== undefined)
    throw new AutotestError('engine_unavailable', `${name} ${pointer.message}`, {
      hint: `Run: ${pointer.command}`,
    })
  throw new AutotestError('engine_unavailable', `${name} is not a ${format.title} database, or is corrupt`, {
    hint: 'Set `engine` in autotest.config.yaml to a database of that kind, or restore this file.',
  })
}

function readHeader(path: string, name: string): Buffer {
  try {
    const found = statSync(path)
    const kind = found.isDirectory() ? 'a folder' : kindOf(found)
    if (kind !== undefined) {
      throw new AutotestError('engine_unavailable', `${name} is ${kind}, not a database`, {
        hint: 'Set `engine` in autotest.config.yaml to the database file itself.',
      })
    }
    const file = openSync(path, 'r')
    try {
      const head = Buffer.alloc(headBytes)
      return head.subarray(0, readSync(file, head, 0, headBytes, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof AutotestError) throw error
    throw unreadableDatabaseError(path, name, error)
  }
}

function unreadableDatabaseError(path: string, name: string, cause: unknown): AutotestError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new AutotestError('engine_unavailable', `database not found: ${name}`, {
      hint: `Set \`engine\` in autotest.config.yaml (or --engine) to an existing database, or \`fixture\` to an SQL script that builds it. There is no file ${path}.`,
      cause,
    })
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new AutotestError('engine_unavailable', `no permission to read ${name}`, {
      hint: 'Give this user read access to the file and its folder.',
      cause,
    })
  }
  return new AutotestError('engine_unavailable', `cannot read ${name}: ${messageOf(cause)}`, { cause })
}
