import { resolve } from 'node:path'
import type { Config } from '../../config/config.js'
import { chooseSandbox } from '../../sandbox/sandbox.js'
import { interpreterProblem } from '../../subagent/script/interpreter-pool.js'
import { findPython, requirePytest, sourceText } from '../project/find-python.js'
import { type Check, note, ok, problemFromError } from './check.js'

interface PythonSettings {
  readonly root: string
  readonly tests: Pick<Config['tests'], 'project' | 'python'>
}

/**
 * Checks what agents that write unit tests need; nothing for projects of another agent. Where nothing is configured, it
 * is not known whether it will be needed.
 */
function unitTestCheck(
  name: string,
  find: (config: PythonSettings, env: Readonly<Record<string, string | undefined>>) => Promise<string>,
): Check {
  return {
    name,
    async run({ env, cwd, projectLocation }) {
      const place = await projectLocation()
      const config = place.kind === 'project' ? place.config : undefined
      if (place.kind === 'invalid' || (config?.file !== undefined && config.agent.kind !== 'subagent'))
        return undefined
      try {
        return ok(await find(config ?? { root: cwd, tests: { project: '.', python: undefined } }, env))
      } catch (error) {
        const found = problemFromError(error)
        return config?.agent.kind === 'subagent' ? found : note(found.detail, found.fix)
      }
    },
  }
}

function pythonOf({ root, tests }: PythonSettings, env: Readonly<Record<string, string | undefined>>) {
  return findPython({ root: resolve(root, tests.project), configured: tests.python, env })
}

export const unitTestChecks: readonly Check[] = [
  unitTestCheck('python', async (config, env) => {
    const python = await pythonOf(config, env)
    requirePytest(python)
    return `Python ${python.version} with pytest ${python.pytest}, ${python.executable} (${sourceText(python)})`
  }),
  unitTestCheck(
    'sandbox',
    async (config, env) =>
      (await chooseSandbox(false, { python: await pythonOf(config, env), env })).description,
  ),
  unitTestCheck('tool scripts', async () => {
    const problem = interpreterProblem()
    if (problem !== undefined) throw problem
    return 'their interpreter is installed'
  }),
]
