import { z } from 'zod'
import type { PythonWorker } from '../../../src/testgen/python/worker.js'
import { mutantScore, testRun, writtenTests } from '../../../src/testgen/python/worker-results.js'

const testPath = 'tests/test_m.py'

interface Surroundings {
  /** Text of the test file before. */
  readonly existing?: string
  /** How the workspace of the run differs from the one in which the tests were written. */
  readonly run?: Readonly<Record<string, unknown>>
}

/** Writes tests of a function of `m.py`, runs them, and returns what fails and the share of its mutants that they kill. */
export async function scoredTests(
  worker: PythonWorker,
  qualname: string,
  { existing = '', run: options = {} }: Surroundings = {},
) {
  const result = await worker.call(
    'write_tests',
    { path: 'm.py', qualname, existing, seconds: 1.5, seed: 1, test_path: testPath },
    writtenTests,
    60_000,
  )
  if (result.names.length === 0) return { ...result, failed: [], share: 0 }
  await worker.call('write_text', { path: testPath, text: result.text }, z.null(), 10_000)
  const run = await worker.call('run_tests', { paths: [testPath], ...options }, testRun, 60_000)
  const failed = [...run.errors, ...run.tests.filter(({ outcome }) => outcome !== 'passed')]
  const score = await worker.call(
    'score_mutants',
    { path: 'm.py', qualname, tests: [testPath], seconds: 60 },
    mutantScore,
    90_000,
  )
  const killed = score.mutants.filter(({ outcome }) => outcome === 'killed')
  return { ...result, failed, share: killed.length / score.mutants.length }
}
