import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TaskState } from '../../domains/tdd/task-state.js'
import {
  openPythonSession,
  type PythonProject,
  type PythonSession,
} from '../../domains/tests/python-sessions.js'
import { AutotestError } from '../../errors.js'
import { readIfThere } from '../../roles/copied-files.js'
import { refusedWrite } from '../../roles/may-write.js'
import type { RefusedFile } from '../../roles/returned-files.js'
import { type Role, writableFolders } from '../../roles/role.js'
import { shadowedNames } from '../roles/shadowed-names.js'

/**
 * Opens a copy of the project with all that was done in a task so far. Throws `journal_conflict` where somebody has changed one of its files.
 *
 * @param role whose folders may be written to; absent: none
 */
export async function openTaskSession(
  project: PythonProject,
  state: TaskState,
  role: Role | undefined,
  signal: AbortSignal,
): Promise<PythonSession> {
  await checkOriginals(project.root, state)
  const session = await openPythonSession(project, role === undefined ? [] : writableFolders(role), signal)
  for (const [path, text] of Object.entries(state.files)) {
    const target = join(session.folder, path)
    if (text === null) await rm(target, { force: true })
    else {
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, text)
    }
  }
  return session
}

/** Throws where a file of the task is neither what it was nor what the task makes of it. */
export async function checkOriginals(root: string, { originals, files }: TaskState): Promise<void> {
  for (const [path, original] of Object.entries(originals)) {
    const current = await readIfThere(join(root, path))
    if (hashOf(current) === original || hashOf(current) === hashOf(bytesOf(files[path] ?? null))) continue
    throw new AutotestError('journal_conflict', `${path} was changed since the task took it`, {
      hint: 'Run again with --restart: the task begins anew, with the file as it is.',
    })
  }
}

export interface TakenFiles extends Pick<TaskState, 'files' | 'originals'> {
  readonly refused: readonly RefusedFile[]
}

/** Takes over files that an agent of a role made, as far as it may write them. */
export async function takeFiles(
  { root, python }: Pick<PythonProject, 'root' | 'python'>,
  state: TaskState,
  role: Role,
  made: Readonly<Record<string, string | null>>,
): Promise<TakenFiles> {
  const files: Record<string, string | null> = { ...state.files }
  const originals: Record<string, string | null> = { ...state.originals }
  const refused: RefusedFile[] = []
  const findShadowed = shadowedNames({ python: python.executable, env: process.env })
  const paths = new Set(Object.keys(made))
  for (const [path, text] of Object.entries(made)) {
    const reason = await refusedWrite(role, { root, findShadowed, made: paths, path })
    if (reason !== undefined) refused.push({ path, reason })
    else {
      Object.assign(originals, await originalOf(root, { ...state, originals }, path))
      files[path] = text
    }
  }
  return { files, originals, refused }
}

/** Returns the hash of a file as the project has it, by its path; nothing where it is known from an earlier step. */
export async function originalOf(
  root: string,
  { originals }: Pick<TaskState, 'originals'>,
  path: string,
): Promise<TaskState['originals']> {
  return Object.hasOwn(originals, path) ? {} : { [path]: hashOf(await readIfThere(join(root, path))) }
}

export function bytesOf(text: string | null): Uint8Array | null {
  return text === null ? null : new TextEncoder().encode(text)
}

/** Returns the text of a file of the project; null where there is none. A link is not followed. */
export async function projectText(root: string, path: string): Promise<string | null> {
  const bytes = await readIfThere(join(root, path))
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

function hashOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex')
}
