import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { probesOf } from '../../../../src/app/run/tests/read-probes.js'
import { createSessionPool, openPythonSession } from '../../../../src/domains/tests/python-sessions.js'
import { createScriptFitness } from '../../../../src/domains/tests/repair/script-fitness.js'
import { searchScriptRepairs } from '../../../../src/domains/tests/repair/search-repair.js'
import { loadSnapshot } from '../../../../src/snapshot/load.js'
import { loadDefinition } from '../../../../src/subagent/definition.js'
import { needsPython } from '../../../needs.js'
import { requirePythonHere } from '../../../testgen/python-here.js'

const toolFault = z.object({ name: z.string(), script: z.string(), search: z.string(), replace: z.string() })
type ToolFault = z.output<typeof toolFault>
const toolFaults = z
  .array(toolFault)
  .parse(parse(readFileSync(join(import.meta.dirname, 'tool-faults.yaml'), 'utf8')))

const root = resolve(import.meta.dirname, '../../../..')
const { signal } = new AbortController()

describe('faults of tool scripts', needsPython, async () => {
  const { snapshot } = await loadSnapshot(root, ['agents'])
  const { definition } = loadDefinition(snapshot, 'agents', 'test/test_subagent.yaml')
  const probes = probesOf(definition, snapshot)
  const sessions = createSessionPool(() =>
    openPythonSession({ root, files: [], ...requirePythonHere() }, undefined, signal),
  )
  afterAll(() => sessions.close())
  const broken = ({ script, search, replace }: ToolFault) => {
    const path = join('agents/test/tools', script)
    const text = readFileSync(join(root, path), 'utf8')
    const changed = text.replace(search, () => replace)
    expect(changed).not.toBe(text)
    const own = probes.filter((each) => each.script === path)
    return { text: changed, own, fitness: createScriptFitness(own, sessions, signal) }
  }

  it.each(toolFaults)('is seen by the probes of its tool: $name ($script)', async (fault) => {
    const { text, fitness } = broken(fault)
    expect(await fitness.wrongFields(text, 1000)).not.toBe(0)
  })

  // Each takes some seconds; AUTOTEST_THOROUGH=1, which the full checks set, tries all of them.
  const tried = toolFaults.filter((_, at) => at % 8 === 0 || process.env['AUTOTEST_THOROUGH'] === '1')
  const repaired: string[] = []

  it.each(tried)('is repaired without history: $name ($script)', { timeout: 120_000 }, async (fault) => {
    const { text, own, fitness } = broken(fault)
    const [found] = await searchScriptRepairs(text, own, fitness)
    if (found === undefined) return
    expect(await fitness.wrongFields(found, 0)).toBe(0)
    repaired.push(fault.name)
  })

  it('are repaired without history, nine of ten', () => {
    expect(repaired.length).toBeGreaterThanOrEqual(0.85 * tried.length)
  })
})
