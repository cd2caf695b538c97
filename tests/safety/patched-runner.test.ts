import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { needsPython } from '../needs.js'
import { sandboxesHere } from '../testgen/python-here.js'
import { tryWay, waysIn } from './ways.js'

const ways = waysIn('patched-runner.py')
const [sandbox] = sandboxesHere()

describe('code that', needsPython, () => {
  it.concurrent.each(ways.filter(({ kind }) => kind === 'detected'))(
    '$name is noticed',
    { timeout: 60_000 },
    async (way) => {
      if (sandbox === undefined) throw new Error('there is no sandbox')
      const { runs, isForged } = await tryWay(way, sandbox)
      expect(isForged, JSON.stringify(runs)).toBe(false)
      expect(runs[0]).toMatchObject({
        code: 'python_forged',
        message: expect.stringMatching(/^the test process answered for itself: /),
      })
    },
  )

  it.each(ways.filter(({ kind }) => kind === 'named'))('$name is named in the threat model', (way) => {
    const text = readFileSync(new URL('../../docs/threat-model-results.md', import.meta.url), 'utf8')
    expect(text.replace(/\s+/g, ' ')).toContain(way.name)
  })
})
