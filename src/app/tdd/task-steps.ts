import { coderCompletion, countsOf, statusUpdate } from '../../domains/tdd/messages.js'
import { countFailures, failingTests, type TaskState, testToAskAbout } from '../../domains/tdd/task-state.js'
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
  const failedBefore = failingTests(run, []).map(({ test }) => test)
  const note =
    failedBefore.length === 0
      ? `${run.tests.length} tests pass`
      : `${failedBefore.length} tests fail already: ${failedBefore.join(', ')}`
  context.onSay(`before   ${note}`)
  return { state: { ...state, failedBefore, step: 'red' }, messages: [] }
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
  const failing = failingTests(run, [...state.knownIssues, ...state.failedBefore])
  const counts = countsOf(run, state.testCount)
  const changed = Object.keys(current.files).filter((path) => !isTestFile(path))
  const messages: TaskMessage[] = [
    { kind: 'completion', data: coderCompletion(changed, counts, attempt, result.summary) },
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
  return { state: counted, messages, ask: testToAskAbout(counted) }
}

/** Lets the coder clean up; what makes a test fail is dropped. */
export async function refactorStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const { refactor } = context.agents
  const next = { ...state, step: 'suite' as const }
  if (refactor === undefined) return { state: next, messages: [] }
  const { taken, result } = await workAs(context.roles.coder, state, [], context, refactor)
  const cleaned = { ...next, ...taken }
  const run = await inSession(cleaned, undefined, context, (session) =>
    runTests(session, testFilesOf(cleaned), testSeconds),
  )
  const failing = failingTests(run, [...state.knownIssues, ...state.failedBefore])
  if (failing.length === 0) {
    context.onSay(`refactor ${result.summary}`)
    return { state: cleaned, messages: [] }
  }
  context.onSay(`refactor dropped, as ${failing[0]?.test ?? 'a test'} fails with it`)
  return { state: next, messages: [] }
}

/** Runs the whole suite: what passed before must pass. */
export async function suiteStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const run = await inSession(state, undefined, context, (session) => runTests(session, [], suiteSeconds))
  const failing = failingTests(run, [...state.failedBefore, ...state.knownIssues])
  const counted = { ...state, ...countFailures(state, failing) }
  if (failing.length === 0) {
    context.onSay(`suite    ${countsOf(run, 0).passed} tests pass`)
    return { state: { ...counted, step: 'write' }, messages: [] }
  }
  context.onSay(`suite    ${failing.map(({ test }) => test).join(', ')} failed, and passed before`)
  return { state: { ...counted, step: 'green' }, messages: [], ask: testToAskAbout(counted) }
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
  const broken = failing.map(({ test }) => test.split('::')[0] ?? '').filter(isTestFile)
  return [...new Set([task.testPath, ...written, ...broken])]
}
