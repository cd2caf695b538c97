import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import { findPython, type PythonInstallation, requirePytest } from '../../testgen/python/find-python.js'
import { type PythonWorker, startPythonWorker } from '../../testgen/python/worker.js'
import { type FunctionDescription, functionDescription } from '../../testgen/python/worker-results.js'
import { chooseSandbox, type Sandbox } from '../../testgen/sandbox/sandbox.js'
import { createWorkspace, type Workspace } from '../../testgen/workspace/workspace.js'
import { projectFiles } from './project-files.js'

/** What the commands of the tests domain have in common. */
export interface TestingRequest {
  /** The project's root, absolute. */
  readonly root: string
  readonly python: string | undefined
  /** Whether to run generated code with the user's own rights. */
  readonly unsandboxed: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** A copy of the project, with its Python in a sandbox. */
export interface TestingSession {
  readonly files: readonly string[]
  readonly python: PythonInstallation
  readonly sandbox: Sandbox
  readonly workspace: Workspace
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
  const { root, signal } = request
  const python = await findPython({ root, configured: request.python, env: request.env })
  requirePytest(python)
  const sandbox = await chooseSandbox(request.unsandboxed, python.executable)
  const files = await projectFiles(root)
  const workspace = await createWorkspace(root, files)
  const worker = startPythonWorker({ python, sandbox, workspace: workspace.folder, signal })
  return {
    files,
    python,
    sandbox,
    workspace,
    worker,
    describe: (path) => worker.call('describe', { path }, z.array(functionDescription), describeTimeoutMs),
    async close() {
      await worker.close()
      await workspace.dispose()
    },
  }
}

/** Returns a function of a file. Throws `AutotestError('function_unknown')` with those that are there. */
export function functionNamed(
  path: string,
  qualname: string,
  functions: readonly FunctionDescription[],
): FunctionDescription {
  const found = functions.find((each) => each.qualname === qualname)
  if (found === undefined) {
    const names = functions.map((each) => each.qualname)
    throw new AutotestError('function_unknown', `${path} has no function ${qualname}`, {
      hint:
        names.length === 0
          ? 'It has none at all.'
          : `It has ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}.`,
    })
  }
  if (found.is_nested)
    throw new AutotestError(
      'function_unknown',
      `${path}: ${qualname} is within another function, where no test reaches it`,
      {
        hint: 'Name the function around it.',
      },
    )
  return found
}
