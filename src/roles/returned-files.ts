import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { FileChange } from '../edit/apply-edits.js'
import { messageOf } from '../errors.js'
import { type FileSet, type FoundFile, readIfThere, readOwnFile } from './copied-files.js'
import { refusedWrite } from './may-write.js'
import type { Role } from './role.js'
import type { FindShadowed } from './shadowed-name.js'
import { foldName } from './started-files.js'

/** A file that an agent may not bring back, and why. */
export interface RefusedFile {
  readonly path: string
  readonly reason: string
}

export interface ReturnedFiles {
  readonly changes: readonly FileChange[]
  readonly refused: readonly RefusedFile[]
}

export interface Copy {
  /** Of the project, absolute. */
  readonly root: string
  /** Of the copy, absolute. */
  readonly folder: string
  readonly before: FileSet
  readonly after: FileSet
  /** Asks the project's interpreter; absent: there is none. */
  readonly findShadowed?: FindShadowed | undefined
}

/** Modes that give rights to whoever runs or writes the file. */
const specialModes = 0o7000
const executable = 0o111
const writableByAll = 0o002

/**
 * Returns what an agent of a role changed in its copy, and what of it may not come back: another place, a link, a mode, a name that is one already in other
 * letters, a file that would run by itself.
 */
export async function returnedFiles(
  role: Role,
  { root, folder, before, after, findShadowed }: Copy,
): Promise<ReturnedFiles> {
  const made = new Set([...after.keys()].filter((path) => !before.has(path)))
  const changes: FileChange[] = []
  const refused: RefusedFile[] = []
  const folded = new Map<string, string>()
  for (const path of [...after.keys(), ...before.keys()]) {
    const twin = folded.get(foldName(path))
    if (twin === path) continue
    folded.set(foldName(path), twin ?? path)
    const was = before.get(path)
    const is = after.get(path)
    if (isSame(was, is)) continue
    const reason =
      twin === undefined || is === undefined
        ? (problemOf(was, is) ?? (await refusedWrite(role, { root, findShadowed, made, path })))
        : `${twin} is there, and on some disks they are one file`
    if (reason !== undefined) {
      refused.push({ path, reason })
      continue
    }
    try {
      const original = await readIfThere(join(root, path))
      const result = is === undefined ? null : await readOwnFile(join(folder, path))
      if (isFile(was, original) && isFile(is, result)) changes.push({ path, before: original, after: result })
      else refused.push({ path, reason: 'another program changed it in the meantime' })
    } catch (error) {
      refused.push({ path, reason: messageOf(error) })
    }
  }
  return { changes, refused }
}

function isSame(was: FoundFile | undefined, is: FoundFile | undefined): boolean {
  if (was === undefined || is === undefined) return was === is
  if (was.kind === 'file' && is.kind === 'file')
    return was.hash === is.hash && was.mode === is.mode && is.links === 1
  if (was.kind === 'link' && is.kind === 'link') return was.to === is.to
  return was.kind === 'other' && is.kind === 'other'
}

function problemOf(was: FoundFile | undefined, is: FoundFile | undefined): string | undefined {
  if (was !== undefined && was.kind !== 'file') return 'what was there is not a file'
  if (is === undefined) return undefined
  if (is.kind === 'link') return 'it is a symbolic link'
  if (is.kind === 'other') return `it is ${is.what}`
  if (is.links > 1) return 'it is a hard link'
  const gained = is.mode & ~(was?.mode ?? 0o644)
  if ((is.mode & specialModes) !== 0) return 'it runs with the rights of its owner'
  if ((gained & executable) !== 0) return 'it was made executable'
  if ((gained & writableByAll) !== 0) return 'everybody may write it'
  if (was?.hash === is.hash) return 'only its mode was changed, which is not taken over'
  return undefined
}

/** Reports whether bytes are those of a file as it was found. */
function isFile(found: FoundFile | undefined, bytes: Uint8Array | null): boolean {
  if (found === undefined || bytes === null) return found === undefined && bytes === null
  return found.kind === 'file' && found.hash === createHash('sha256').update(bytes).digest('hex')
}
