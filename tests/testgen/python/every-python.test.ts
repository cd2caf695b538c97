import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findPython } from '../../../src/app/project/find-python.js'
import { chooseSandbox } from '../../../src/sandbox/sandbox.js'
import { startPythonWorker } from '../../../src/testgen/python/worker.js'
import {
  functionDescription,
  mutantScore,
  testRun,
  writtenTests,
} from '../../../src/testgen/python/worker-results.js'
import { needing } from '../../needs.js'
import { pricing, pythonProject } from '../python-here.js'

// Interpreters with pytest that this machine has beside the usual one, separated by `:`.
const pythons = (process.env['AUTOTEST_PYTHONS'] ?? '').split(':').filter((each) => each !== '')
const needsPythons = needing(
  'other versions of Python',
  pythons.length === 0 ? 'AUTOTEST_PYTHONS names none' : undefined,
)

const open: { close(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

describe.each(pythons.length === 0 ? ['no other Python'] : pythons)('%s', (executable) => {
  it('describes, writes, runs and scores tests of functions of all kinds', {
    ...needsPythons,
    timeout: 180_000,
  }, async () => {
    const project = pythonProject({ 'm.py': pricing })
    open.push({ close: project.remove })
    const python = await findPython({ root: project.folder, configured: executable, env: process.env })
    const sandbox = await chooseSandbox(false, { python, env: process.env })
    const { signal } = new AbortController()
    const worker = startPythonWorker({ python, sandbox, workspace: project.folder, signal })
    open.push(worker)
    const described = await worker.call('describe', { path: 'm.py' }, z.array(functionDescription), 20_000)
    expect(described).toHaveLength(9)
    let text = ''
    for (const qualname of ['calculate_total', 'Cart.label', 'Cart.size', 'Cart.add', 'fetch', 'countdown']) {
      const params = {
        path: 'm.py',
        qualname,
        existing: text,
        seconds: 1,
        seed: 1,
        test_path: 'tests/test_m.py',
      }
      const written = await worker.call('write_tests', params, writtenTests, 60_000)
      expect(written.names.length, qualname).toBeGreaterThan(0)
      text = written.text
    }
    await worker.call('write_text', { path: 'tests/test_m.py', text }, z.null(), 10_000)
    const run = await worker.call('run_tests', { paths: ['tests/test_m.py'], hash_seed: 3 }, testRun, 60_000)
    expect(run.tests.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    const score = await worker.call(
      'score_mutants',
      { path: 'm.py', qualname: 'calculate_total', tests: ['tests/test_m.py'], seconds: 60 },
      mutantScore,
      90_000,
    )
    const killed = score.mutants.filter(({ outcome }) => outcome === 'killed').length
    expect(killed / score.mutants.length).toBeGreaterThan(0.8)
  })
})
