import type { TestRun } from '../../testgen/python/worker-results.js'
import type { FailingTest, TaskState } from './task-state.js'

/**
 * Returns the tests that must pass and have not: those of the task, and those that passed before it, must be there with the outcome `passed`. Of others only
 * what fails counts: a test that was skipped before may be so afterwards. What cannot be collected fails as a file.
 *
 * @param files whose tests were run; empty: all
 */
export function failingTests(
  run: TestRun,
  state: TaskState,
  files: readonly string[],
): readonly FailingTest[] {
  const { failedBefore, knownIssues } = state
  const setAside = new Set([...failedBefore, ...knownIssues])
  const uncollected = run.errors.map(({ test, message }) => ({ test, outcome: 'error' as const, message }))
  const ended: readonly FailingTest[] =
    run.failure === undefined
      ? []
      : [{ test: 'all tests', outcome: 'error', message: `${run.failure}: ${run.message ?? ''}` }]
  const broken = [...uncollected, ...ended].filter(({ test }) => !setAside.has(test))
  return [
    ...broken,
    ...run.tests.flatMap((each) => (setAside.has(each.test) ? [] : (notPassed(each, state) ?? []))),
    // Where nothing came to an end, or a file is not loaded, that is said in place of each of its tests.
    ...(ended.some(({ test }) => !setAside.has(test)) ? [] : goneTests(run, state, files)).filter(
      ({ test }) => !broken.some((each) => each.test === fileOf(test)),
    ),
  ]
}

function notPassed(
  { test, outcome, message }: TestRun['tests'][number],
  state: TaskState,
): FailingTest | undefined {
  if (outcome === 'passed') return undefined
  if (outcome === 'failed' || outcome === 'error') return { test, outcome, message: message ?? '' }
  if (!isDemanded(test, state) || isSkippedIssue(test, state.knownIssues)) return undefined
  return { test, outcome, message: `it is ${outcome}, and has not passed` }
}

function isDemanded(test: string, { taskTests, passedBefore, skippedBefore }: TaskState): boolean {
  return (
    passedBefore.includes(test) ||
    (!skippedBefore.includes(test) && taskTests.some((name) => isNamed(test, withoutParameters(name))))
  )
}

/** Tests that must pass and have no result. */
function goneTests(
  { tests, left_out: leftOut = [] }: TestRun,
  { taskTests, passedBefore, knownIssues, failedBefore }: TaskState,
  files: readonly string[],
): readonly FailingTest[] {
  const ids = new Set(tests.map(({ test }) => test))
  const isSetAside = (test: string): boolean =>
    [...knownIssues, ...failedBefore].some((each) => each === test || each === fileOf(test)) ||
    isSkippedIssue(test, knownIssues)
  const before = passedBefore.filter((test) => !ids.has(test))
  const ofTask = taskTests.filter(
    (name) => !tests.some(({ test }) => isSame(test, name)) && !before.some((test) => isSame(test, name)),
  )
  return [...ofTask, ...before]
    .filter((test) => (files.length === 0 || files.includes(fileOf(test))) && !isSetAside(test))
    .map((test) => {
      const reason = leftOut.find((each) => test === each.test || test.startsWith(`${each.test}::`))?.message
      const why =
        reason === undefined ? 'no test of this name was collected' : `${fileOf(test)} is skipped: ${reason}`
      return { test, outcome: 'gone', message: `it is gone: ${why}` }
    })
}

/** A known issue is marked in its file, for all its parameters. */
function isSkippedIssue(test: string, knownIssues: readonly string[]): boolean {
  return knownIssues.some(
    (each) => each.includes('::') && withoutParameters(each) === withoutParameters(test),
  )
}

/** With parameters only the same ones count: others may come from a list that the code was free to change. */
function isSame(test: string, name: string): boolean {
  return name.includes('[') ? test === name : isNamed(test, name)
}

/** Returns whether a test is the one of a name, which may lack its class. */
function isNamed(test: string, name: string): boolean {
  return withoutParameters(test) === name || plainTest(test) === name
}

/** Returns `path::name` of a test in a class, or with parameters. */
export function plainTest(test: string): string {
  const [path, ...rest] = withoutParameters(test).split('::')
  return rest.length === 0 ? (path ?? '') : `${path}::${rest.at(-1)}`
}

/** Returns the id of a test without its parameters. */
function withoutParameters(test: string): string {
  return test.replace(/\[.*$/s, '')
}

function fileOf(test: string): string {
  return test.split('::')[0] ?? ''
}
