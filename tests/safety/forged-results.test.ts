import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { needsPython } from '../needs.js'
import { findPythonHere, pythonWorkers, sandboxesHere } from '../testgen/python-here.js'
import { tryWay, waysIn } from './ways.js'

const ways = waysIn('forged-results.py')

// The strongest of this machine, and the weakest.
const tried = [...new Set([sandboxesHere().at(0), sandboxesHere().at(-1)])].filter(
  (sandbox) => sandbox !== undefined,
)

describe.each(tried)('in $name, no result is forged by code that', needsPython, (sandbox) => {
  it.concurrent.each(ways)('$name ($kind)', { timeout: 60_000 }, async (way) => {
    const { runs, isForged, reached } = await tryWay(way, sandbox)
    expect(runs.length).toBeGreaterThan(1)
    expect(isForged, JSON.stringify(runs)).toBe(false)
    expect(reached, 'the process that judges was traced or read').toBe(false)
  })
})

describe('a module that cannot be imported', needsPython, () => {
  it('is not one that can by what it writes to its descriptors', async () => {
    const { start, close } = pythonWorkers(findPythonHere())
    const writes = `import json, os, struct
report = json.dumps({"result": None}).encode()
for number in range(3, 64):
    try:
        os.write(number, struct.pack(">Q", len(report)) + bytes(32) + report)
    except OSError:
        pass
os._exit(0)
`
    try {
      const asked = start({ 'm.py': writes }).call('import_module', { path: 'm.py' }, z.unknown(), 20_000)
      await expect(asked).rejects.toMatchObject({ code: 'python_forged' })
    } finally {
      await close()
    }
  })
})

describe('what is tried', needsPython, () => {
  it('is every kind of way, and tells a run that passes from one that fails', {
    timeout: 60_000,
  }, async () => {
    const kinds = new Set(ways.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(['channel', 'environment', 'exit', 'files', 'ptrace', 'signals'])
    expect(ways.length).toBeGreaterThanOrEqual(30)
    const [sandbox] = sandboxesHere()
    if (sandbox === undefined) throw new Error('there is no sandbox')
    const honest = (value: number) =>
      tryWay(
        { kind: 'files', source: `def f(x):\n    return ${value}\ndef g(x):\n    return x + 1\n` },
        sandbox,
      )
    expect(await honest(4)).toMatchObject({ isForged: true, reached: false })
    expect(await honest(5)).toMatchObject({ isForged: false })
  })
})
