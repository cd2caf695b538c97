import { z } from 'zod'
import {
  openPythonSession,
  type PythonProject,
  type PythonSession,
  type SessionOptions,
} from '../../domains/tests/python-sessions.js'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { type FunctionDescription, functionDescription } from '../../testgen/python/worker-results.js'
import { openPythonProject, type PythonProjectRequest } from './open-python-project.js'

/** What the commands of the tests domain have in common. */
export interface TestingRequest extends PythonProjectRequest {
  readonly signal: AbortSignal
}

/** A copy of the project, with its Python in a sandbox. */
export interface TestingSession extends PythonProject {
  readonly worker: PythonWorker
  /** Absolute path of the copy. */
  readonly folder: string
  /** Returns the Python of a second copy, whose path and hashes differ; it is started when it is first asked for. */
  elsewhere(): Promise<PythonWorker>
  /** Starts the project's Python again, in a new copy, after it ended. */
  restart(): Promise<void>
  /** Returns the functions of a file. Throws `python_syntax` and `python_file`. */
  describe(path: string): Promise<readonly FunctionDescription[]>
  close(): Promise<void>
}

const describeTimeoutMs = 30_000

/**
 * Copies the project and starts its Python. Throws `AutotestError`: `python_missing`, `pytest_missing`,
 * `sandbox_missing`.
 */
export async function openTestingSession(request: TestingRequest): Promise<TestingSession> {
  const project = await openPythonProject(request)
  const open = (options?: SessionOptions) => openPythonSession(project, undefined, request.signal, options)
  let first = await open()
  let second: Promise<PythonSession> | undefined
  async function closeSecond(): Promise<void> {
    await second?.then((session) => session.close()).catch(() => undefined)
    second = undefined
  }
  return {
    ...project,
    get worker() {
      return first.worker
    },
    get folder() {
      return first.folder
    },
    async elsewhere() {
      second ??= open({ folder: 'second copy/of it', hashSeed: 4711 })
      try {
        return (await second).worker
      } catch (error) {
        second = undefined
        throw error
      }
    },
    async restart() {
      await Promise.all([first.close(), closeSecond()])
      first = await open()
    },
    describe: (path) =>
      first.worker.call('describe', { path }, z.array(functionDescription), describeTimeoutMs),
    async close() {
      await Promise.all([first.close(), closeSecond()])
    },
  }
}
