import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sandbox } from '../../sandbox/sandbox-access.js'
import type { PythonInstallation } from '../../testgen/python/python-installation.js'
import { type PythonWorker, startPythonWorker } from '../../testgen/python/worker.js'
import { createWorkspace } from '../../testgen/workspace/workspace.js'

/** The Python project whose functions are tested. */
export interface PythonProject {
  /** Absolute path. */
  readonly root: string
  /** Its own files, relative to the root, sorted. */
  readonly files: readonly string[]
  /** Further files that its code imports and git ignores. */
  readonly needed?: readonly string[]
  readonly python: PythonInstallation
  readonly sandbox: Sandbox
}

/** A copy of the project with its Python in the sandbox. */
export interface PythonSession {
  /** Absolute path of the copy. */
  readonly folder: string
  readonly worker: PythonWorker
  close(): Promise<void>
}

/** How a copy differs from the usual one. */
export interface SessionOptions {
  /** Folders below the copy's own that the project is in, so that its path has another depth and other characters. */
  readonly folder?: string
  readonly hashSeed?: number
}

/**
 * Copies the project and starts its Python.
 *
 * @param writable folders of the copy that code may write to, relative to it; absent: all of it
 */
export async function openPythonSession(
  { root, files, needed = [], python, sandbox }: PythonProject,
  writable: readonly string[] | undefined,
  signal: AbortSignal,
  { folder: below = '', hashSeed }: SessionOptions = {},
): Promise<PythonSession> {
  const workspace = await createWorkspace(root, [...files, ...needed], below)
  const folders = writable?.map((path) => join(workspace.folder, path))
  for (const folder of folders ?? []) await mkdir(folder, { recursive: true })
  const worker = startPythonWorker({
    python,
    sandbox,
    workspace: workspace.folder,
    writable: folders,
    signal,
    hashSeed,
  })
  return {
    folder: workspace.folder,
    worker,
    async close() {
      await worker.close()
      await workspace.dispose()
    },
  }
}

/** Does work while files are in a session's workspace that the project does not have. */
export async function withOverlay<Result>(
  { folder }: PythonSession,
  overlay: ReadonlyMap<string, string> | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const files = [...(overlay ?? [])].map(([path, text]) => ({ path: join(folder, path), text }))
  for (const { path, text } of files) await writeFile(path, text)
  try {
    return await work()
  } finally {
    for (const { path } of files) await rm(path, { force: true })
  }
}

/** Sessions that are used one after the other, so that their Python is warm. */
export interface SessionPool {
  /** Does work with a session that nobody else uses. What breaks a session ends it. */
  use<Result>(work: (session: PythonSession) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Creates a pool; as many sessions are open as works go on at a time. */
export function createSessionPool(open: () => Promise<PythonSession>): SessionPool {
  const idle: PythonSession[] = []
  const opened = new Set<PythonSession>()
  return {
    async use(work) {
      const session = idle.pop() ?? (await open())
      opened.add(session)
      try {
        const result = await work(session)
        idle.push(session)
        return result
      } catch (error) {
        opened.delete(session)
        await session.close()
        throw error
      }
    },
    async close() {
      await Promise.all([...opened].map((session) => session.close()))
      opened.clear()
      idle.length = 0
    },
  }
}
