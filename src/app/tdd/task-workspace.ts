import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TaskState } from '../../domains/tdd/task-state.js'
import {
  openPythonSession,
  type PythonProject,
  type PythonSession,
} from '../../domains/tests/python-sessions.js'
import { sourceExtensions } from '../../edit/allowed-path.js'
import { AutotestError } from '../../errors.js'
import { refusedWrite } from '../../roles/may-write.js'
import type { RefusedFile } from '../../roles/returned-files.js'
import { type Role, writableFolders } from '../../roles/role.js'

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
    const current = await contentOf(root, path)
    if (hashOf(current) === original || current?.toString() === files[path]) continue
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
  root: string,
  state: TaskState,
  role: Role,
  made: Readonly<Record<string, string | null>>,
): Promise<TakenFiles> {
  const files: Record<string, string | null> = { ...state.files }
  const originals: Record<string, string | null> = { ...state.originals }
  const refused: RefusedFile[] = []
  for (const [path, text] of Object.entries(made)) {
    const reason =
      (await refusedWrite(role, { root, path })) ??
      (sourceExtensions.some((ending) => path.endsWith(ending))
        ? undefined
        : 'its ending is none of sources, tests and test data')
    if (reason !== undefined) refused.push({ path, reason })
    else {
      if (!Object.hasOwn(originals, path)) originals[path] = hashOf(await contentOf(root, path))
      files[path] = text
    }
  }
  return { files, originals, refused }
}

export async function contentOf(root: string, path: string): Promise<Buffer | null> {
  try {
    return await readFile(join(root, path))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function hashOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex')
}
