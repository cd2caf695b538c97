import { writtenTests } from '../../testgen/python/worker-results.js'
import type { PythonSession } from './python-sessions.js'
import { type TestedFunction, withTestFile } from './run-test-file.js'

/** Another seed than that of the writer: tests that are scored must not decide by themselves what counts. */
const killableSeed = 1009

/**
 * Returns the numbers of the mutants of a function that can be killed: by tests that come with the case, and by a
 * search for inputs of its own.
 *
 * @param expected text of the tests that come with the case
 * @param seconds of the search
 */
export async function killableMutants(
  session: PythonSession,
  tested: TestedFunction,
  expected: string | undefined,
  seconds: number,
): Promise<ReadonlySet<number>> {
  const { path, qualname } = tested
  const killed = new Set<number>()
  const searched = await session.worker.call(
    'write_tests',
    { path, qualname, existing: '', seconds, seed: killableSeed },
    writtenTests,
    (seconds * 10 + 90) * 1000,
  )
  for (const number of searched.killed) killed.add(number)
  if (expected !== undefined) {
    const score = await withTestFile(
      session,
      { ...tested, testPath: 'test_expected_by_case.py' },
      expected,
      undefined,
      (file) => file.mutants(),
    )
    for (const { number, outcome } of score.mutants) if (outcome === 'killed') killed.add(number)
  }
  return killed
}
