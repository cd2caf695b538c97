import { AutotestError } from '../../errors.js'
import { type TestRun, testRun } from '../../testgen/python/worker-results.js'
import { withoutTest } from '../../testgen/without-test.js'
import { writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import { lastLine } from '../../text/last-line.js'
import type { TestingSession } from './testing-session.js'

/** A test file with the names of the tests that are new in it. */
export interface NewTestFile {
  readonly text: string
  readonly names: readonly string[]
}

export const runSeconds = 30
/** How often tests that fail on the function as it is are dropped before its tests are given up. */
const revisions = 3

/** Drops the new tests that do not pass three times, each time in another order. */
export async function withoutFailing(
  file: NewTestFile,
  testFile: string,
  session: TestingSession,
): Promise<NewTestFile> {
  let kept = file
  let message = ''
  for (let revision = 0; revision < revisions; revision++) {
    await writeWorkspaceFile(session.worker, testFile, kept.text)
    const failing = new Map<string, string>()
    for (const order of [null, 1, 2]) {
      const run = await session.worker.call(
        'run_tests',
        { paths: [testFile], order, seconds: runSeconds },
        testRun,
        2000 * runSeconds,
      )
      for (const [name, why] of failures(run, kept.names, testFile)) failing.set(name, why)
    }
    if (failing.size === 0) return kept
    message = [...failing.values()].at(-1) ?? message
    kept = dropTests(kept, [...failing.keys()])
    if (kept.names.length === 0) break
  }
  throw new AutotestError('python_failed', `its tests do not pass each time: ${message}`)
}

/** Returns a file without some of its new tests. */
export function dropTests({ text, names }: NewTestFile, dropped: readonly string[]): NewTestFile {
  return {
    text: dropped.reduce(withoutTest, text),
    names: names.filter((name) => !dropped.includes(name)),
  }
}

/**
 * Returns the tests that did not pass, with the last line of what pytest says of each. Throws `python_failed` if the
 * file cannot be collected, and `python_timeout` if it did not end.
 */
export function failures(
  run: TestRun,
  names: readonly string[],
  testFile: string,
): readonly (readonly [string, string])[] {
  const [error] = run.errors
  if (error !== undefined)
    throw new AutotestError(
      'python_failed',
      `${testFile} cannot be collected: ${lastLine(error.message).replace(/^E\s+/, '')}`,
    )
  if (run.failure !== undefined)
    throw new AutotestError('python_timeout', `${testFile} did not end: ${run.message ?? run.failure}`)
  const [skipped] = run.left_out ?? []
  if (skipped !== undefined)
    throw new AutotestError('python_failed', `${skipped.test} is skipped as a whole: ${skipped.message}`)
  const found = new Map(run.tests.map((each) => [each.test.split('::').at(-1) ?? each.test, each]))
  return names.flatMap((name) => {
    const test = found.get(name)
    return test?.outcome === 'passed' ? [] : [[name, said(test?.message ?? 'it was not run')] as const]
  })
}

/** Returns the first line of what pytest says, which has the assertion or the exception. */
function said(message: string): string {
  const lines = message.split('\n').map((line) => line.replace(/^E\s+/, '').trim())
  return (lines.find((line) => line !== '') ?? '').slice(0, 200)
}
