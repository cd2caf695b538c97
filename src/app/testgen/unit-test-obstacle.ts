import { AutotestError } from '../../errors.js'
import { interpreterProblem } from '../../subagent/script/interpreter-pool.js'
import { findPython, requirePytest } from '../../testgen/python/find-python.js'
import { chooseSandbox } from '../../testgen/sandbox/sandbox.js'

/**
 * Returns why unit tests cannot be written and run on this machine, with what to install; undefined if they can.
 *
 * @param root of the Python project
 */
export async function unitTestObstacle(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  configured?: string | undefined,
): Promise<AutotestError | undefined> {
  try {
    const python = await findPython({ root, configured, env })
    requirePytest(python)
    await chooseSandbox(false, python.executable)
    return interpreterProblem()
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw error
  }
}
