import { AutotestError } from '../../errors.js'
import type { TurnModel } from '../../subagent/runner/turn-model.js'
import { mutantScore, writtenTests } from '../../testgen/python/worker-results.js'
import { createRulesWriter } from '../../testgen/rules-writer.js'
import type { PythonSession } from './python-sessions.js'
import type { TestedFunction } from './run-test-file.js'

const mutantSeconds = 60

/**
 * Creates the writer without a model for one function.
 *
 * @param seconds of the search for inputs
 */
export function rulesModel(
  { worker }: PythonSession,
  { path, qualname: target, testPath }: TestedFunction,
  { seconds, seed }: { readonly seconds: number; readonly seed: number },
): TurnModel {
  async function coveredBy(existing: string): Promise<readonly number[]> {
    if (existing.trim() === '') return []
    const params = { path, qualname: target, tests: [testPath], seconds: mutantSeconds }
    const score = await worker.call('score_mutants', params, mutantScore, 5000 * mutantSeconds)
    return score.mutants.flatMap(({ number, outcome }) => (outcome === 'killed' ? [number] : []))
  }

  return createRulesWriter(async ({ signature, existing }) => {
    const { qualname = target } = signature
    try {
      const written = await worker.call(
        'write_tests',
        {
          path,
          qualname,
          existing,
          seconds,
          seed,
          covered: await coveredBy(existing),
          told: toldOf(signature),
          test_path: testPath,
        },
        writtenTests,
        (seconds * 10 + 90) * 1000,
      )
      const [example] = written.failing_doctests
      if (example !== undefined)
        return {
          text: '',
          names: [],
          problem: `its docstring says otherwise, correct one of the two: ${example}`,
        }
      return { text: written.text, names: written.names }
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code === 'python_stopped') throw error
      return { text: '', names: [], problem: error.message }
    }
  })
}

/** Returns what a tool said of the function, by the names that the worker has for it. */
function toldOf(signature: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { return_type: returns, parameters, role, is_async, is_generator, raises } = signature
  const told = { returns, parameters, role, is_async, is_generator, raises }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
}
