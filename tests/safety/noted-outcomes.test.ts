import { afterEach, describe, expect, it } from 'vitest'
import { testRun } from '../../src/testgen/python/worker-results.js'
import { needsPython } from '../needs.js'
import { findPythonHere, pythonWorkers, sandboxesHere } from '../testgen/python-here.js'
import { testsOfUnittest, tryWay, waysIn } from './ways.js'

const ways = waysIn('unittest-outcomes.py')
const [sandbox] = sandboxesHere()

describe('code that', needsPython, () => {
  it.concurrent.each(ways)('$name is $kind', { timeout: 60_000 }, async (way) => {
    if (sandbox === undefined) throw new Error('there is no sandbox')
    const { runs, isForged } = await tryWay(way, sandbox, testsOfUnittest)
    expect(isForged, JSON.stringify(runs)).toBe(false)
    if (way.kind === 'prevented') return
    expect(runs[0]).toMatchObject({
      code: 'python_forged',
      message: expect.stringMatching(/^the test process answered for itself: /),
    })
  })
})

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

const example = `def f(x):
    """
    >>> f(1)
    5
    >>> f(2)
    4
    """
`
const frames = `    import sys
    frame = sys._getframe(1)
    while "example" not in frame.f_locals or "test" not in frame.f_locals:
        frame = frame.f_back
`
const suite = (source: string) =>
  start({ 'pytest.ini': '[pytest]\naddopts = --doctest-modules\n', 'src/m.py': source }).call(
    'run_tests',
    { paths: [], seconds: 20 },
    testRun,
    60_000,
  )

describe('a doctest', { ...needsPython, timeout: 60_000 }, () => {
  it('of a module is one of the whole suite where the project says so', async () => {
    const { tests } = await suite(`${example}    return 5\n`)
    expect(tests).toMatchObject([{ test: 'src/m.py::m.f', outcome: 'failed' }])
  })

  it.each([
    ['drops the examples to come', 'del frame.f_locals["test"].examples[1:]'],
    [
      'writes over what an example wants',
      'for each in frame.f_locals["test"].examples:\n        each.want = "5\\n"',
    ],
    [
      'has an example skipped',
      'import doctest\n    for each in frame.f_locals["test"].examples[1:]:\n        each.options[doctest.SKIP] = True',
    ],
    [
      'compares in another way',
      'import doctest\n    doctest.OutputChecker.check_output = lambda *rest: True',
    ],
  ])('is judged by no code that %s', async (_, code) => {
    await expect(suite(`${example}${frames}    ${code}\n    return 5\n`)).rejects.toMatchObject({
      code: 'python_forged',
    })
  })
})
