import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { needsPython } from './needs.js'
import { makeEnvironment } from './prepare-python.js'
import { requirePythonHere } from './testgen/python-here.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-prepare-'))
  folders.push(folder)
  return folder
}

it(
  'without a part of Python no environment is left behind, and that part is named',
  needsPython,
  async () => {
    const [cache, modules] = [scratch(), scratch()]
    writeFileSync(join(modules, 'ensurepip.py'), 'raise ImportError("ensurepip is not here")')
    const made = await makeEnvironment(requirePythonHere().python, cache, {
      ...process.env,
      PYTHONPATH: modules,
    })
    expect(made).toEqual({ problem: 'ImportError: ensurepip is not here' })
    expect(readdirSync(cache)).toEqual([])
  },
)

it('without a registry the problem is that, not the first package of the list', needsPython, async () => {
  const cache = scratch()
  const nowhere = { PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_FIND_LINKS: '', PIP_NO_CACHE_DIR: '1' }
  const made = await makeEnvironment(requirePythonHere().python, cache, { ...process.env, ...nowhere })
  expect(made).toEqual({ problem: 'no package registry can be reached' })
  expect(readdirSync(cache)).toEqual([])
})

it('an environment that was cut off while it was made is made again', {
  ...needsPython,
  timeout: 600_000,
}, async ({ skip }) => {
  const cache = scratch()
  const make = () => makeEnvironment(requirePythonHere().python, cache, process.env)
  const { environment, problem } = await make()
  if (environment === undefined) return skip(problem)
  writeFileSync(join(environment, 'half'), '')
  expect(await make()).toEqual({ environment })
  expect(existsSync(join(environment, 'half'))).toBe(true)
  rmSync(join(environment, 'complete'))
  expect(await make()).toEqual({ environment })
  expect(existsSync(join(environment, 'half'))).toBe(false)
})
