import { failingTests } from '../../domains/tdd/failing-tests.js'
import { coderCompletion, countsOf, statusUpdate } from '../../domains/tdd/messages.js'
import {
  countFailures,
  type FailingTest,
  type TaskState,
  testToAskAbout,
} from '../../domains/tdd/task-state.js'
import { plural } from '../../report/format-text.js'
import type { TaskMessage } from '../../store/task-rows.js'
import { isTestFile } from '../../testgen/test-path.js'
import { inLazySession, inSession, runTests, turnOf, workAs } from './agent-work.js'
import type { StepResult } from './step-result.js'
import type { TaskContext } from './task-context.js'

const testSeconds = 60
const suiteSeconds = 300

/** Runs the whole suite, so that later failures can be told from those that were there. */
export async function baselineStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const run = await inSession(state, undefined, context, (session) => runTests(session, [], suiteSeconds))
  const failedBefore = failingTests(run, state, []).map(({ test }) => test)
  const passedBefore = run.tests.flatMap(({ test, outcome }) => (outcome === 'passed' ? [test] : []))
  const skipped = run.tests.filter(
    ({ test, outcome }) => outcome !== 'passed' && !failedBefore.includes(test),
  )
  const skippedBefore = skipped.map(({ test }) => test)
  const note =
    failedBefore.length === 0
      ? passing(passedBefore.length)
      : `${failedBefore.length} tests fail already: ${failedBefore.join(', ')}`
  const outcomes = [...new Set(skipped.map(({ outcome }) => outcome))].map((outcome) => {
    const count = skipped.filter((each) => each.outcome === outcome).length
    return `, ${count} ${count === 1 ? 'is' : 'are'} ${outcome}`
  })
  context.onSay(`before   ${note}${outcomes.join('')}`)
  return { state: { ...state, failedBefore, passedBefore, skippedBefore, step: 'red' }, messages: [] }
}

/** Lets the coder try once to make the tests pass. */
export async function greenStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const attempt = state.attempt + 1
  const { taken, result } = state.byHand
    ? { taken: {}, result: { files: {}, summary: 'changed by hand' } }
    : await workAs(context.roles.coder, state, [], context, context.agents.writeCode)
  const current = { ...state, ...taken, attempt, byHand: false }
  const files = testFilesOf(current)
  const run = await inSession(current, undefined, context, (session) => runTests(session, files, testSeconds))
  const failing = failingTests(run, current, files)
  const counts = countsOf(run, state.testCount)
  const changed = Object.keys(current.files).filter((path) => !isTestFile(path))
  const messages: TaskMessage[] = [
    { kind: 'completion', data: coderCompletion(changed, counts, failing, attempt, result.summary) },
  ]
  const counted = { ...current, ...countFailures(current, failing) }
  if (failing.length === 0) {
    context.onSay(`green    attempt ${attempt}: all tests pass · ${result.summary}`)
    messages.push({ kind: 'status', data: statusUpdate('coder', 'green', 'All tests pass.') })
    return { state: { ...counted, step: 'refactor', diagnosis: null }, messages }
  }
  context.onSay(
    `green    attempt ${attempt}: ${failing.length} of ${failing.length + counts.passed} fail · ${result.summary}`,
  )
  const others = failing.filter(({ outcome }) => outcome !== 'failed' && outcome !== 'error')
  if (others.length > 0) context.onSay(`         not passed: ${named(others, state)}`)
  return { state: counted, messages, ask: testToAskAbout(counted) }
}

/** Lets the coder clean up; what makes a test fail is dropped. */
export async function refactorStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const { refactor } = context.agents
  const next = { ...state, step: 'suite' as const }
  if (refactor === undefined) return { state: next, messages: [] }
  const { taken, result } = await workAs(context.roles.coder, state, [], context, refactor)
  const cleaned = { ...next, ...taken }
  const files = testFilesOf(cleaned)
  const run = await inSession(cleaned, undefined, context, (session) => runTests(session, files, testSeconds))
  const failing = failingTests(run, cleaned, files)
  if (failing.length === 0) {
    context.onSay(`refactor ${result.summary}`)
    return { state: cleaned, messages: [] }
  }
  context.onSay(`refactor dropped, as it leaves ${named(failing.slice(0, 1), state)}`)
  return { state: next, messages: [] }
}

/** Runs the whole suite: what passed before, and the tests of the task, must pass. */
export async function suiteStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const run = await inSession(state, undefined, context, (session) => runTests(session, [], suiteSeconds))
  const failing = failingTests(run, state, [])
  const counted = { ...state, ...countFailures(state, failing) }
  if (failing.length === 0) {
    context.onSay(`suite    ${passing(countsOf(run, 0).passed)}`)
    return { state: { ...counted, step: 'write' }, messages: [] }
  }
  context.onSay(`suite    not passed: ${named(failing, state)}`)
  return { state: { ...counted, step: 'green' }, messages: [], ask: testToAskAbout(counted) }
}

/** Returns tests with what became of them. */
function named(failing: readonly FailingTest[], { passedBefore }: TaskState): string {
  return failing
    .map(
      ({ test, outcome }) =>
        `${test} (${outcome})${passedBefore.includes(test) ? ', which passed before' : ''}`,
    )
    .join('; ')
}

function passing(count: number): string {
  return `${plural(count, 'test')} ${count === 1 ? 'passes' : 'pass'}`
}

/** Diagnoses what fails, for the coder. */
export async function diagnose(state: TaskState, context: TaskContext): Promise<TaskState> {
  const { failing } = state
  const diagnosis = await inLazySession(state, context.roles.debugger, context, async (session) =>
    context.agents.diagnose({
      ...turnOf(state, session, context, []),
      failing,
      testFiles: testFilesOf(state),
    }),
  )
  return { ...state, diagnosis }
}

/** Returns the test files that decide: those of the task, and those of tests that fail since. */
function testFilesOf({ task, files, failing }: TaskState): readonly string[] {
  const written = Object.keys(files).filter((path) => isTestFile(path) && files[path] !== null)
  const broken = failing
    .map(({ test }) => test.split('::')[0] ?? '')
    .filter((path) => isTestFile(path) && files[path] !== null)
  return [...new Set([task.testPath, ...written, ...broken])]
}
