import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from '../e2e/sample.js'
import { connect, killServers } from '../e2e/serve-connection.js'
import { readIn, tddProject } from '../e2e/tdd-project.js'
import { needsPython } from '../needs.js'

afterEach(killServers)
afterAll(removeFolders)

const path = 'tests/unit/test_part.py'
const test = '\n\ndef test_part():\n    assert True\n'
const needs = { ...needsPython, timeout: 120_000 }

describe('serve says of a test file', needs, () => {
  it.each([
    [
      'why it is skipped',
      `import pytest\n\npytest.skip("not here", allow_module_level=True)${test}`,
      'not here',
    ],
    ['which module it needs', `import pytest\n\npytest.importorskip("nowhere")${test}`, 'nowhere'],
    ['why unittest skips it', `import unittest\n\nraise unittest.SkipTest("not now")${test}`, 'not now'],
  ])('%s', async (_, text, reason) => {
    const { connection } = connect(tddProject({ [path]: text }))
    const answer = await connection.sendRequest('run_tests', { testPath: path })
    expect(answer).toMatchObject([
      { nodeid: path, outcome: 'skipped', call: { longrepr: expect.stringContaining(reason) } },
    ])
  })

  it('why pytest does not begin', async () => {
    const { connection } = connect(
      tddProject({ [path]: test, 'tests/conftest.py': 'import nowhere_at_all\n' }),
    )
    const answer = await connection.sendRequest('run_tests', { testPath: path })
    expect(answer).toMatchObject([
      { nodeid: path, outcome: 'error', call: { longrepr: expect.stringContaining('nowhere_at_all') } },
    ])
  })

  it('that it has no test of a name', async () => {
    const { connection } = connect(tddProject({ [path]: test }))
    const answer = await connection.sendRequest('run_tests', { testPath: path, tests: ['test_other'] })
    expect(answer).toMatchObject([
      { outcome: 'error', call: { longrepr: expect.stringContaining('not found') } },
    ])
  })
})

describe('mutants', needs, () => {
  it('says that a test file is skipped as a whole', async () => {
    const root = tddProject({
      'tests/unit/shop/test_calc.py': `import pytest\nimport shop.calc\n\npytest.skip("not here", allow_module_level=True)${test}`,
    })
    const { code, out } = await autotest(root, ['mutants', 'src/shop/calc.py::bigger'])
    expect(out).toContain(
      'tests/unit/shop/test_calc.py: is skipped as a whole, and notices nothing: not here',
    )
    expect(code).toBe(1)
  })
})

describe('generate', needs, () => {
  const source = (body: string): string =>
    `import queue\nimport unittest\n\nimport pytest\n\n\ndef part(x: int):\n${body}\n`
  const generated = async (body: string) => {
    const root = tddProject({ 'src/shop/part.py': source(body) })
    const run = await autotest(root, ['generate', 'src/shop/part.py', '--seconds', '0.5'])
    return { ...run, text: readIn(root, 'tests/unit/test_part.py') }
  }

  it.each([
    ['skips', '    pytest.skip("no")', 'Skipped'],
    ['skips as unittest does', '    raise unittest.SkipTest("no")', 'SkipTest'],
    ['fails the test', '    pytest.fail("no")', 'Failed'],
    ['ends the session', '    pytest.exit("no")', 'Exit'],
    ['interrupts', '    raise KeyboardInterrupt', 'KeyboardInterrupt'],
  ])('writes no test of a function that only %s, and says why', async (_, body, name) => {
    const { code, out, text } = await generated(body)
    expect(out).toContain(
      `part: no tests: each call that was tried raises ${name}, which ends a test without failing it`,
    )
    expect([code, text]).toEqual([1, undefined])
  })

  it('writes tests of the other calls, and names no private module', async () => {
    const ends = await generated('    if x > 3:\n        pytest.skip("no")\n    return x + 1')
    expect(ends.code).toBe(0)
    expect(ends.text).toContain('assert part(')
    expect(ends.text).not.toMatch(/_pytest|Skipped/)
    const raises = await generated('    return queue.SimpleQueue().get_nowait() if x > 2 else x')
    expect(raises.text).toContain('from queue import Empty\n')
  })
})
