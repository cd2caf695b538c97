import { AutotestError } from '../../errors.js'
import { chooseSandbox } from '../../sandbox/sandbox.js'
import { interpreterProblem } from '../../subagent/script/interpreter-pool.js'
import type { PythonInstallation } from '../../testgen/python/python-installation.js'
import { findPython, requirePytest } from '../project/find-python.js'

/**
 * Returns the Python with which unit tests can be written and run on this machine, or why they cannot, with what to
 * install.
 *
 * @param root folder whose virtual environment is used if it has one, absolute
 */
export async function unitTestPython(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<PythonInstallation | AutotestError> {
  try {
    const python = await findPython({ root, env })
    requirePytest(python)
    await chooseSandbox(false, { python, env })
    return interpreterProblem() ?? python
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw error
  }
}
