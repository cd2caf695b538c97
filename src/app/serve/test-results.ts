import type { TestRun } from '../../testgen/python/worker-results.js'
import type { TestResult } from './protocol.js'

/** Returns each test of a run, what is skipped as a whole, and what kept files from being collected, in the form of an editor. */
export function testResults({
  tests,
  errors,
  left_out: leftOut = [],
  failure,
  message,
}: TestRun): readonly TestResult[] {
  const uncollected = [
    ...errors.map(({ test, message: said }) => ({ nodeid: test, longrepr: said })),
    ...(failure === undefined ? [] : [{ nodeid: 'all tests', longrepr: `${failure}: ${message ?? ''}` }]),
  ]
  return [
    ...tests.map(({ test, outcome, message: said, line, ms }) => ({
      nodeid: test,
      outcome,
      duration: ms / 1000,
      ...(said === null ? {} : { call: { longrepr: said, line } }),
    })),
    ...leftOut.map(({ test, message: reason }) => ({
      nodeid: test,
      outcome: 'skipped' as const,
      duration: 0,
      call: { longrepr: reason, line: null },
    })),
    ...uncollected.map(({ nodeid, longrepr }) => ({
      nodeid,
      outcome: 'error' as const,
      duration: 0,
      call: { longrepr, line: null },
    })),
  ]
}
