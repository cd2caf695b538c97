import { AutotestError } from '../../errors.js'
import { functionNamed } from '../../testgen/function-named.js'
import { type MutantScore, mutantScore, testRun } from '../../testgen/python/worker-results.js'
import { lastLine } from '../../text/last-line.js'
import { testFileOf } from './test-file-of.js'
import type { TestingSession } from './testing-session.js'

const mutantSeconds = 300

export interface ScoredMutants {
  readonly score: MutantScore
  readonly testFiles: readonly string[]
}

/**
 * Runs the mutants of a function under test files.
 *
 * @param tests relative to the root; empty: the test file of its module
 */
export async function scoreMutants(
  session: TestingSession,
  path: string,
  qualname: string,
  tests: readonly string[],
): Promise<ScoredMutants> {
  functionNamed(path, qualname, await session.describe(path))
  const testFiles = tests.length > 0 ? tests : [await testFileOf(path, session, undefined, 'any')]
  const absent = testFiles.find((file) => !session.files.includes(file))
  if (absent !== undefined)
    throw new AutotestError('python_file', `there is no test file ${absent}`, {
      hint: 'Name the test file with --tests, or write one: autotest generate.',
    })
  const score = await session.worker.call(
    'score_mutants',
    { path, qualname, tests: testFiles, seconds: mutantSeconds },
    mutantScore,
    5000 * mutantSeconds,
  )
  const [error] = score.errors
  if (error !== undefined)
    throw new AutotestError(
      'python_file',
      `${error.test || testFiles.join(', ')} cannot be run: ${lastLine(error.message)}`,
    )
  return { score: await withMessages(score, testFiles, session), testFiles }
}

/** Returns the score with what pytest says of tests that fail: mutants are run without its explanations. */
async function withMessages(
  score: MutantScore,
  paths: readonly string[],
  { worker }: TestingSession,
): Promise<MutantScore> {
  if (score.reference.every(({ outcome }) => outcome === 'passed')) return score
  const run = await worker.call('run_tests', { paths, seconds: 30 }, testRun, 60_000)
  const messages = new Map(run.tests.map(({ test, message }) => [test, message]))
  const reference = score.reference.map((each) => ({
    ...each,
    message: messages.get(each.test) ?? each.message,
  }))
  return { ...score, reference }
}
