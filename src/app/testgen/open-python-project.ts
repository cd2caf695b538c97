import type { PythonProject } from '../../domains/tests/python-sessions.js'
import { chooseSandbox } from '../../sandbox/sandbox.js'
import { findPython, requirePytest } from '../project/find-python.js'
import { projectFiles } from '../project/project-files.js'
import { ignoredModules } from './ignored-modules.js'

export interface PythonProjectRequest {
  /** The project's root, absolute. */
  readonly root: string
  /** Interpreter that is named; undefined: it is searched for. */
  readonly python: string | undefined
  /** Whether to run generated code with the user's own rights. */
  readonly unsandboxed: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Finds what a Python project is run with. Throws `AutotestError`: `python_missing`, `pytest_missing`,
 * `sandbox_missing`.
 */
export async function openPythonProject({
  root,
  python: configured,
  unsandboxed,
  env,
}: PythonProjectRequest): Promise<PythonProject> {
  const python = await findPython({ root, configured, env })
  requirePytest(python)
  const sandbox = await chooseSandbox(unsandboxed, { python, env })
  const files = await projectFiles(root)
  return { root, files, needed: await ignoredModules(root, files), python, sandbox }
}
