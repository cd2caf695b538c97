import { resolve } from 'node:path'
import type { Config } from '../../config/config.js'
import { interpreterProblem } from '../../subagent/script/interpreter-pool.js'
import { findPython, requirePytest } from '../../testgen/python/find-python.js'
import { chooseSandbox } from '../../testgen/sandbox/sandbox.js'
import { type Check, configurationCheck, ok, problemFromError } from './check.js'

/** Checks what agents that write unit tests need; nothing for other projects. */
function unitTestCheck(
  name: string,
  find: (config: Config, env: Readonly<Record<string, string | undefined>>) => Promise<string>,
): Check {
  return configurationCheck(name, async (config, { env }) => {
    if (config.agent.kind !== 'subagent') return undefined
    try {
      return ok(await find(config, env))
    } catch (error) {
      return problemFromError(error)
    }
  })
}

function pythonOf({ root, tests }: Config, env: Readonly<Record<string, string | undefined>>) {
  return findPython({ root: resolve(root, tests.project), configured: tests.python, env })
}

export const unitTestChecks: readonly Check[] = [
  unitTestCheck('python', async (config, env) => {
    const python = await pythonOf(config, env)
    requirePytest(python)
    return `Python ${python.version} with pytest ${python.pytest}, ${python.executable} (${python.source})`
  }),
  unitTestCheck(
    'sandbox',
    async (config, env) => (await chooseSandbox(false, (await pythonOf(config, env)).executable)).description,
  ),
  unitTestCheck('tool scripts', async () => {
    const problem = interpreterProblem()
    if (problem !== undefined) throw problem
    return 'their interpreter is installed'
  }),
]
