import { afterEach, describe, expect, it } from 'vitest'
import { mutantScore } from '../../src/testgen/python/worker-results.js'
import { needsPython } from '../needs.js'
import { findPythonHere, pythonWorkers } from '../testgen/python-here.js'

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

const source = 'def f(x):\n    if x > 3:\n        return x + 1\n    return x * 2\n'

const score = (body: string) =>
  start({ 'm.py': source, 'tests/test_m.py': `import os\nfrom m import f\ndef test_f():\n${body}` }).call(
    'score_mutants',
    { path: 'm.py', qualname: 'f', tests: ['tests/test_m.py'], seconds: 30 },
    mutantScore,
    60_000,
  )

describe('mutants', needsPython, () => {
  it('are not noticed by a test that counts its runs and fails later', async () => {
    const found = await score(`    f(1)
    with open("count", "a+") as file:
        file.write("x")
    assert os.path.getsize("count") < 2
`)
    expect(found.reference).toMatchObject([{ outcome: 'passed' }])
    expect(found.noticed_rewrite).toBe('tests/test_m.py::test_f')
  })

  it('are noticed by a test that compares', async () => {
    const found = await score('    assert f(1) == 2 and f(3) == 6 and f(4) == 5\n')
    expect(found.noticed_rewrite).toBeNull()
    expect(found.mutants.filter(({ outcome }) => outcome === 'killed').length).toBeGreaterThan(5)
  })

  it('are not counted where the function answers for the process', async () => {
    const writes = `    for number in range(3, 64):
        try:
            os.write(number, b'{"result": {"reference": [], "mutants": []}}')
        except OSError:
            pass
`
    await expect(score(`    f(1)\n${writes}    os._exit(0)\n`)).rejects.toMatchObject({
      code: 'python_forged',
    })
    await expect(score(`    f(1)\n${writes}`)).rejects.toMatchObject({ code: 'python_forged' })
  })
})
