import type { TestRun } from '../../testgen/python/worker-results.js'
import type { Diagnosis } from './diagnosis.js'
import type { Task } from './task.js'

/** Where a task is: the phases of test-driven development, and what comes before and after. */
export const taskSteps = ['baseline', 'red', 'green', 'refactor', 'suite', 'write', 'end'] as const
export type TaskStep = (typeof taskSteps)[number]

/** Answers to the gate of a test that fails repeatedly. */
export const gateAnswers = ['debugger', 'by_hand', 'skip', 'abort'] as const
export type GateAnswer = (typeof gateAnswers)[number]

/** What a test can be other than passed; `gone` is one that is no longer there. */
export type FailingOutcome = Exclude<TestRun['tests'][number]['outcome'], 'passed'> | 'gone'

/** A test that must pass, and has not. */
export interface FailingTest {
  /** As pytest names it: `tests/unit/test_a.py::test_b`. */
  readonly test: string
  /** `failed`, `skipped`, `gone` and the like. */
  readonly outcome: FailingOutcome
  readonly message: string
}

/** All that is known of a task between two steps; stored as JSON. */
export interface TaskState {
  readonly task: Task
  readonly step: TaskStep
  /** Texts of the files that were written or, with null, deleted, by path. */
  readonly files: Readonly<Record<string, string | null>>
  /** Hashes of those files as they were in the project, null where there was none: nothing of anybody else's is overwritten. */
  readonly originals: Readonly<Record<string, string | null>>
  /** Tests that failed before anything was done. */
  readonly failedBefore: readonly string[]
  /** Those that passed, and those that did neither: they were skipped, or expected to fail. */
  readonly passedBefore: readonly string[]
  readonly skippedBefore: readonly string[]
  /** Tests of the task with their parameters, as they were collected; `path::name` where their file could not be. */
  readonly taskTests: readonly string[]
  readonly testCount: number
  /** How often the coder has tried. */
  readonly attempt: number
  /** How often in a row each test has failed. */
  readonly failures: Readonly<Record<string, number>>
  readonly failing: readonly FailingTest[]
  /** Tests that a person has set aside. */
  readonly knownIssues: readonly string[]
  readonly diagnosis: Diagnosis | null
  /** Id of the gate on which it waits. */
  readonly gate: string | null
  /** Whether a person mends the code by hand. */
  readonly byHand: boolean
  /** Why it ended without success. */
  readonly problem: string | null
}

export function initialState(task: Task): TaskState {
  return {
    task,
    step: 'baseline',
    files: {},
    originals: {},
    failedBefore: [],
    passedBefore: [],
    skippedBefore: [],
    taskTests: [],
    testCount: 0,
    attempt: 0,
    failures: {},
    failing: [],
    knownIssues: [],
    diagnosis: null,
    gate: null,
    byHand: false,
    problem: null,
  }
}

/** A failure of one test in a row at which a person is asked. */
export const gateFailures = 4

/** Counts a run: a test that passes starts anew. */
export function countFailures(
  state: TaskState,
  failing: readonly FailingTest[],
): Pick<TaskState, 'failures' | 'failing'> {
  const counted = failing.map(({ test }) => [test, (state.failures[test] ?? 0) + 1] as const)
  return { failures: Object.fromEntries(counted), failing }
}

/** Returns the test that has failed most often, if a person has to be asked. */
export function testToAskAbout({
  failures,
}: TaskState): { readonly test: string; readonly times: number } | undefined {
  const [most] = Object.entries(failures).sort(
    ([a, first], [b, second]) => second - first || (a < b ? -1 : 1),
  )
  return most !== undefined && most[1] >= gateFailures ? { test: most[0], times: most[1] } : undefined
}
