import { describe, expect, it } from 'vitest'
import type { TestResult } from '../../src/server/protocol.js'
import { joinCoverage, lineCounts } from '../../src/testing/covered-lines.js'
import { junitResults } from '../../src/testing/junit-results.js'
import { outcomeOf, runProblem } from '../../src/testing/test-outcomes.js'

const result = (nodeid: string, outcome: TestResult['outcome'], longrepr?: string): TestResult => ({
  ...{ nodeid, outcome, duration: 0.5 },
  ...(longrepr === undefined ? {} : { call: { longrepr, line: 7 } }),
})

describe('the outcome of a test', () => {
  it('is failed where one of its parameters fails, and names it', () => {
    const outcome = outcomeOf('tests/test_a.py::test_add', [
      result('tests/test_a.py::test_add[1-2]', 'passed'),
      result('tests/test_a.py::test_add[0-0]', 'failed', 'assert 1 == 0'),
      result('tests/test_a.py::test_add_more', 'failed', 'another'),
    ])
    expect(outcome).toEqual({
      kind: 'failed',
      ms: 1000,
      messages: [{ text: '[0-0] assert 1 == 0', line: 7 }],
    })
  })

  it.each([
    ['passed', 'passed'],
    ['xfailed', 'skipped'],
    ['skipped', 'skipped'],
    ['error', 'errored'],
    ['xpassed', 'skipped'],
  ] as const)('%s is %s', (outcome, kind) => {
    expect(outcomeOf('a.py::test', [result('a.py::test', outcome)])?.kind).toBe(kind)
  })

  it('is unknown where it did not run, and the file says why', () => {
    const said = 'a.py:1: in <module>\n    import nothing\nE   ModuleNotFoundError: No module named nothing\n'
    const results = [result('a.py', 'error', said)]
    expect(outcomeOf('a.py::test', results)).toBeUndefined()
    expect(runProblem('a.py', results)).toBe('ModuleNotFoundError: No module named nothing')
    expect(runProblem('a.py', [result('all tests', 'error', 'timeout: 60 s')])).toBe('timeout: 60 s')
    expect(runProblem('a.py', [result('a.py::test', 'error')])).toBeUndefined()
  })
})

describe('results of a run under the debugger', () => {
  const ids = [
    'tests/test_a.py::test_add',
    'tests/test_a.py::TestCart::test_full',
    'tests/test_a.py::test_skipped',
  ]

  it('are read from what pytest writes', () => {
    const xml = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="1" tests="4" time="0.1">
<testcase classname="tests.test_a" name="test_add" time="0.001" />
<testcase classname="tests.test_a.TestCart" name="test_full[1-&quot;b&quot;]" time="0.25"><failure message="assert 1 &lt; 0&#10; +  where 1">def test…</failure></testcase>
<testcase classname="tests.test_a" name="test_skipped" time="0"><skipped type="pytest.skip" message="not here">…</skipped></testcase>
<testcase classname="tests.test_a" name="another" time="0" />
</testsuite></testsuites>`
    expect(junitResults(xml, ids)).toEqual([
      { nodeid: ids[0], outcome: 'passed', duration: 0.001 },
      {
        ...{ nodeid: ids[1], outcome: 'failed', duration: 0.25 },
        call: { longrepr: 'assert 1 < 0\n +  where 1', line: null },
      },
      { nodeid: ids[2], outcome: 'skipped', duration: 0 },
    ])
  })

  it('of a session that was ended are none', () => {
    expect(junitResults('', ids)).toEqual([])
    expect(junitResults('<testsuites><testsuite', ids)).toEqual([])
  })
})

describe('coverage over several test files', () => {
  it('joins lines by source and test, and counts tests per line', () => {
    const file = { filePath: 'src/a.py', executable_lines: [1, 2, 3, 4], imported: [1] }
    const joined = joinCoverage(
      [
        { ...file, tests: { 'tests/test_a.py::test_one[1]': [2], 'tests/test_a.py::test_one[2]': [2, 3] } },
        { ...file, tests: { 'tests/test_b.py::test_two': [2] } },
      ],
      (nodeid) => nodeid.replace(/\[.*$/, ''),
    )
    const source = joined.get('src/a.py')
    if (source === undefined) throw new Error('no source')
    expect([...source.tests.keys()]).toEqual(['tests/test_a.py::test_one', 'tests/test_b.py::test_two'])
    expect([...lineCounts(source)]).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 0],
    ])
  })
})
