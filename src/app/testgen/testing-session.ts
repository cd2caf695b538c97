import { z } from 'zod'
import { openPythonSession, type PythonProject } from '../../domains/tests/python-sessions.js'
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
  const { worker, close } = await openPythonSession(project, undefined, request.signal)
  return {
    ...project,
    worker,
    describe: (path) => worker.call('describe', { path }, z.array(functionDescription), describeTimeoutMs),
    close,
  }
}
