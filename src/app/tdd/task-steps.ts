import { coderCompletion, countsOf, statusUpdate, testWriterCompletion } from '../../domains/tdd/messages.js'
import { checkRed } from '../../domains/tdd/red-check.js'
import type { AgentTurn, TurnResult } from '../../domains/tdd/task-agents.js'
import { countFailures, failingTests, type TaskState, testToAskAbout } from '../../domains/tdd/task-state.js'
import type { PythonSession } from '../../domains/tests/python-sessions.js'
import { plural } from '../../report/format-text.js'
import type { Role } from '../../roles/role.js'
import type { TaskMessage } from '../../store/task-rows.js'
import { type TestRun, testRun } from '../../testgen/python/worker-results.js'
import { isTestFile } from '../../testgen/test-path.js'
import type { TaskContext } from './task-context.js'
import { openTaskSession, projectText, takeFiles } from './task-workspace.js'

/** What a step came to. */
export interface StepResult {
  readonly state: TaskState
  readonly messages: readonly TaskMessage[]
  /** The test about which a person has to be asked. */
  readonly ask?: { readonly test: string; readonly times: number } | undefined
}

const testSeconds = 60
const suiteSeconds = 300
/** How often a test-writer may mend its tests before the first phase is given up. */
const mostDrafts = 3

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

/** Lets the test-writer write tests, which must fail for want of code. */
export async function redStep(state: TaskState, context: TaskContext): Promise<StepResult> {
  const { testWriter } = context.roles
  let current = state
  let complaints: readonly string[] = []
  const messages: TaskMessage[] = []
  for (let draft = 1; draft <= mostDrafts; draft++) {
    const { taken, result } = await workAs(
      testWriter,
      current,
      complaints,
      context,
      context.agents.writeTests,
    )
    if (result.gaveUp !== undefined) return failed(current, result.gaveUp, messages)
    const written = Object.keys(taken.files).filter((path) => taken.files[path] !== null)
    current = { ...current, ...taken }
    if (written.length === 0) {
      complaints = [`no test file was written: write ${state.task.testPath}`]
      continue
    }
    const run = await inSession(current, undefined, context, (session) =>
      runTests(session, written, testSeconds),
    )
    const names = await testNames(current, context, written)
    const before = await testNames(state, context, written)
    const added = names.filter((name) => !before.includes(name))
    // Where nothing is new, the tests that are there and fail are the specification.
    const isAsked = (test: string): boolean =>
      added.length === 0 || added.includes(plainTest(test)) || !test.includes('::')
    const fresh: TestRun = {
      ...run,
      tests: run.tests.filter(
        ({ test, outcome }) =>
          isAsked(test) && (added.length > 0 || outcome === 'failed' || outcome === 'error'),
      ),
    }
    const check = checkRed(fresh, {
      modules: result.modules ?? [],
      present: pythonModules(context.project.files),
      mayPass: result.areExamples === true,
    })
    const count = added.length > 0 ? added.length : fresh.tests.length
    const completion = testWriterCompletion(written, count, countsOf(fresh, count), check)
    messages.push({ kind: 'completion', data: completion })
    if (
      run.tests.length > 0 &&
      fresh.tests.every(({ outcome }) => outcome === 'passed') &&
      result.areExamples === true
    )
      return failed(current, 'there is nothing to do: all criteria with an example hold already', messages)
    if (check.confirmed) {
      const which = added.length > 0 ? plural(count, 'new test') : `${plural(count, 'test')} that are there`
      const held =
        check.passing.length === 0
          ? 'each fails'
          : `${count - check.passing.length} fail, ${check.passing.length} hold already`
      context.onSay(`red      ${which} in ${written.join(', ')}: ${held}`)
      messages.push({
        kind: 'status',
        data: statusUpdate('test-writer', 'ready', 'Tests are ready for the coder.'),
      })
      context.onSay(`         ${result.summary}`)
      const failedBefore = state.failedBefore.filter((test) => !written.includes(test.split('::')[0] ?? ''))
      return { state: { ...current, step: 'green', testCount: count, failedBefore }, messages }
    }
    complaints = [
      ...check.wrong,
      ...check.passing.map((test) => `${test} passes already: it demands nothing new`),
    ]
    for (const complaint of complaints) context.onSay(`         ${complaint}`)
  }
  return failed(current, `the tests do not fail for want of code: ${complaints.join(' · ')}`, messages)
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

async function workAs(
  role: Role,
  state: TaskState,
  complaints: readonly string[],
  context: TaskContext,
  work: (turn: AgentTurn) => Promise<TurnResult>,
) {
  const { id, project, store, now, onSay } = context
  const result = await inLazySession(state, role, context, (session) =>
    work(turnOf(state, session, context, complaints)),
  )
  const { refused, ...taken } = await takeFiles(project.root, state, role, result.files)
  const at = now().toISOString()
  store.refusals.record(
    refused.map((each) => ({ ...each, at, root: project.root, role: role.name, source: 'tdd' as const })),
  )
  for (const { path, reason } of refused) {
    onSay(`refused  ${path}: ${reason}`)
    store.tasks.say(id, { kind: 'refused', data: { role: role.name, path, reason } }, now())
  }
  return { taken, result }
}

function turnOf(
  state: TaskState,
  session: AgentTurn['session'],
  { project }: TaskContext,
  complaints: readonly string[],
): AgentTurn {
  const added = Object.keys(state.files).filter((path) => state.files[path] !== null)
  const sources = [...new Set([...project.files, ...added])].filter(
    (path) =>
      path.endsWith('.py') && !isTestFile(path) && !/(^|\/)(tests?|conftest\.py|setup\.py)(\/|$)/.test(path),
  )
  return { state, session, sources, complaints }
}

async function inSession<Result>(
  state: TaskState,
  role: Role | undefined,
  { project, signal }: TaskContext,
  work: (session: PythonSession) => Promise<Result>,
): Promise<Result> {
  const session = await openTaskSession(project, state, role, signal)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

/** The same for work that may do without: its session is opened when it is first asked for. */
async function inLazySession<Result>(
  state: TaskState,
  role: Role,
  { project, signal }: TaskContext,
  work: (session: AgentTurn['session']) => Promise<Result>,
): Promise<Result> {
  let opened: Promise<PythonSession> | undefined
  try {
    return await work(() => {
      opened ??= openTaskSession(project, state, role, signal)
      return opened
    })
  } finally {
    await opened?.then((session) => session.close())
  }
}

function runTests({ worker }: PythonSession, paths: readonly string[], seconds: number): Promise<TestRun> {
  return worker.call('run_tests', { paths, seconds }, testRun, (seconds + 30) * 1000)
}

/** Returns names of the tests in files, as `path::name`, from their text: what cannot be imported cannot be collected. */
async function testNames(
  state: TaskState,
  { project }: TaskContext,
  files: readonly string[],
): Promise<readonly string[]> {
  const names: string[] = []
  for (const path of files) {
    const text = state.files[path] ?? (await projectText(project.root, path)) ?? ''
    for (const [, name] of text.matchAll(/^\s*(?:async\s+)?def (test\w*)\(/gm)) names.push(`${path}::${name}`)
  }
  return names
}

/** Returns `path::name` of a test in a class, or with parameters. */
function plainTest(test: string): string {
  const [path, ...rest] = test.split('::')
  return `${path}::${(rest.at(-1) ?? '').replace(/\[.*$/s, '')}`
}

function pythonModules(files: readonly string[]): readonly string[] {
  return files
    .filter((path) => path.endsWith('.py'))
    .map((path) =>
      path
        .replace(/^(src|lib)\//, '')
        .replace(/(\/__init__)?\.py$/, '')
        .replaceAll('/', '.'),
    )
}

function failed(state: TaskState, problem: string, messages: readonly TaskMessage[]): StepResult {
  return { state: { ...state, step: 'end', problem }, messages }
}
