import { plainTest } from '../../domains/tdd/failing-tests.js'
import { countsOf, statusUpdate, testWriterCompletion } from '../../domains/tdd/messages.js'
import { checkRed } from '../../domains/tdd/red-check.js'
import type { TaskState } from '../../domains/tdd/task-state.js'
import { plural } from '../../report/format-text.js'
import type { TaskMessage } from '../../store/task-rows.js'
import type { TestRun } from '../../testgen/python/worker-results.js'
import { inSession, runTests, workAs } from './agent-work.js'
import type { StepResult } from './step-result.js'
import type { TaskContext } from './task-context.js'
import { projectText } from './task-workspace.js'

const testSeconds = 60
/** How often a test-writer may mend its tests before the first phase is given up. */
const mostDrafts = 3

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
      const taskTests = testsOfTask(fresh, added)
      return { state: { ...current, step: 'green', testCount: count, failedBefore, taskTests }, messages }
    }
    complaints = [
      ...check.wrong,
      ...check.passing.map((test) => `${test} passes already: it demands nothing new`),
    ]
    for (const complaint of complaints) context.onSay(`         ${complaint}`)
  }
  return failed(current, `the tests do not fail for want of code: ${complaints.join(' · ')}`, messages)
}

/** Returns the tests that must pass in the end: those that ran, and of files that cannot be collected those that their text names. */
function testsOfTask({ tests, errors }: TestRun, added: readonly string[]): readonly string[] {
  const uncollected = added.filter((name) => errors.some(({ test }) => test === name.split('::')[0]))
  return [...new Set([...tests.map(({ test }) => test), ...uncollected])]
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
