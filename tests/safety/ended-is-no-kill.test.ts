import { afterEach, describe, expect, it } from 'vitest'
import { mutantScore } from '../../src/testgen/python/worker-results.js'
import { needsPython } from '../needs.js'
import { findPythonHere, pythonWorkers } from '../testgen/python-here.js'

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

const source = 'def f(x):\n    if x > 3:\n        return x + 1\n    return x * 2\n'
const wrong = '[f(1), f(3), f(4)] != [2, 6, 5]'
const head = 'import _thread, os, pytest, signal, time\nfrom m import f\n\n\n'

async function outcomes(tests: string, code = source) {
  const score = await start({ 'm.py': code, 'test_m.py': head + tests }).call(
    'score_mutants',
    { path: 'm.py', qualname: 'f', tests: ['test_m.py'], seconds: 60 },
    mutantScore,
    120_000,
  )
  expect(score.reference.map(({ outcome }) => outcome)).not.toContain('failed')
  expect(score.mutants.length).toBeGreaterThan(5)
  const kinds = new Set(score.mutants.map(({ outcome, by }) => `${outcome} by ${by}`))
  return { ...score, kinds: [...kinds].sort() }
}

describe('a mutant is not killed by a test that', { ...needsPython, timeout: 120_000 }, () => {
  it.each([
    ['ends its process', 'os._exit(1)'],
    ['ends it as if all was well', 'os._exit(0)'],
    ['kills it', 'os.kill(os.getpid(), signal.SIGKILL)'],
    ['ends it by the signal that ends endless ones', 'os.kill(os.getpid(), signal.SIGPROF)'],
    ['interrupts it', '_thread.interrupt_main(); time.sleep(2)'],
    ['ends the session', 'pytest.exit("done")'],
  ])('%s', async (_, end) => {
    const { kinds, noticed_rewrite: noticed } = await outcomes(
      `def test_f():\n    if ${wrong}:\n        ${end}\n`,
    )
    expect(kinds).toEqual(['survived by crash'])
    expect(noticed).toBeNull()
  })

  it('ends its process in one of its runs, and is named', async () => {
    const { noticed_rewrite: noticed } = await outcomes(
      'def test_f():\n    f(1)\n    open("count", "a").write("x")\n    if os.path.getsize("count") > 1:\n        os._exit(1)\n',
    )
    expect(noticed).toBe('test_m.py::test_f')
  })
})

describe('a mutant is killed by', { ...needsPython, timeout: 120_000 }, () => {
  it('a test that fails, although another one ends its process', async () => {
    const { kinds } = await outcomes(
      `def test_ends():\n    if ${wrong}:\n        os._exit(1)\n\n\ndef test_fails():\n    assert not ${wrong}\n`,
    )
    expect(kinds).toEqual(['killed by test_m.py::test_fails'])
  })

  it('a test that does not come to its end with it', async () => {
    const { mutants } = await outcomes(
      'def test_f():\n    assert f(3) == 3\n',
      'def f(x):\n    i = 0\n    while i < x:\n        i += 1\n    return i\n',
    )
    expect(mutants.some(({ outcome, by }) => outcome === 'killed' && by === 'timeout')).toBe(true)
    expect(mutants.filter(({ by }) => by === 'crash')).toEqual([])
  })
})
