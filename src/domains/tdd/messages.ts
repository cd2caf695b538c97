import type { TestRun } from '../../testgen/python/worker-results.js'
import type { RedCheck } from './red-check.js'
import type { FailingTest } from './task-state.js'

/** A message of an agent to whoever leads the work. */
export function statusUpdate(agent: string, status: string, text: string): Readonly<Record<string, unknown>> {
  return { type: 'STATUS_UPDATE', agent, status, message: text }
}

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Counts the tests of a run; those of files that cannot be collected fail as well. */
export function countsOf({ tests, errors }: TestRun, uncollected: number): Counts {
  const of = (...outcomes: readonly string[]): number =>
    tests.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    passed: of('passed'),
    failed: of('failed', 'error') + (errors.length > 0 ? uncollected : 0),
    skipped: of('skipped', 'xfailed', 'xpassed'),
  }
}

/** Returns the structured completion of the test-writer. */
export function testWriterCompletion(
  files: readonly string[],
  count: number,
  counts: Counts,
  { confirmed, wrong, passing }: RedCheck,
): Readonly<Record<string, unknown>> {
  return {
    status: confirmed ? 'complete' : 'failed',
    subagent: 'test-writer',
    files_created: files,
    test_count: count,
    test_results: counts,
    red_confirmed: confirmed,
    handoff: confirmed
      ? `Tests ready for coder. ${counts.failed === count ? `All ${count}` : `${counts.failed} of ${count}`} tests fail as expected (RED).`
      : `Tests not ready: ${[...wrong, ...passing.map((test) => `${test} passes already`)].join(' · ')}`,
  }
}

/** Returns the structured completion of the coder. */
export function coderCompletion(
  files: readonly string[],
  counts: Counts,
  failing: readonly FailingTest[],
  attempt: number,
  summary: string,
): Readonly<Record<string, unknown>> {
  const green = failing.length === 0
  return {
    status: green ? 'complete' : 'failed',
    subagent: 'coder',
    files_changed: files,
    attempt,
    test_results: counts,
    green_confirmed: green,
    handoff: green
      ? 'All tests pass (GREEN).'
      : `${failing.length} tests have not passed after attempt ${attempt}: ${summary}`,
  }
}
