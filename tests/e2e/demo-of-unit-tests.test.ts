import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { needsPython } from '../needs.js'
import { autotestProcess, removeFolders, scratchFolder } from './sample.js'

afterAll(removeFolders)

it('unit tests are shown with the virtual environment of the folder that it is started in', {
  ...needsPython,
  timeout: 300_000,
}, async ({ skip }) => {
  const environment = process.env['VIRTUAL_ENV']
  if (environment === undefined) return skip('no virtual environment is active')
  const folder = scratchFolder()
  symlinkSync(environment, join(folder, '.venv'))
  // There is no other Python.
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of ['git', 'bwrap', 'unshare']) {
    const program = (process.env['PATH'] ?? '')
      .split(':')
      .map((each) => join(each, name))
      .find(existsSync)
    if (program !== undefined) symlinkSync(program, join(bin, name))
  }
  const { code, out, err } = await autotestProcess(folder, ['demo', '--domain', 'tests'], {
    PATH: bin,
    VIRTUAL_ENV: '',
  })
  expect(err.replace(/^note .*\n/gm, '')).toBe('')
  expect(out).toMatch(/^(\d+) of \1 drifts ended as expected$/m)
  expect(code).toBe(0)
})
