import { expect, it } from 'vitest'
import { checks } from '../../../src/app/doctor/all-checks.js'
import { type Check, ok } from '../../../src/app/doctor/check.js'
import { inspectEnvironment } from '../../../src/app/doctor/environment.js'
import { runChecks } from '../../../src/app/doctor/run-checks.js'
import { AutotestError } from '../../../src/errors.js'

const surroundings = inspectEnvironment({
  cwd: '/',
  env: {},
  file: undefined,
  db: undefined,
  call: false,
  overrides: {},
})

const check = (name: string, look: Check['run']): Check => ({ name, run: look })

async function rowsOf(given: readonly Check[], deadlineMs = 5000, signal = new AbortController().signal) {
  const rows = []
  for await (const row of runChecks(given, surroundings, { deadlineMs, signal })) rows.push(row)
  return rows
}

it('each check has its line in the order of the list, whatever the others do', async () => {
  let aborted = false
  const rows = await rowsOf(
    [
      check('throws', async () => {
        throw new AutotestError('git_failed', 'git is not installed', { hint: 'Install git.' })
      }),
      check('breaks', async () => {
        throw new TypeError('x is undefined')
      }),
      check('throws at once', () => {
        throw new AutotestError('usage', 'no')
      }),
      check('hangs', (_, signal) => {
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return new Promise(() => undefined)
      }),
      check('has nothing to look at', async () => undefined),
      check('is slow', () => new Promise((done) => setTimeout(done, 50, ok('late')))),
      check('is quick', async () => ok('here')),
    ],
    300,
  )
  expect(rows).toEqual([
    { name: 'throws', status: 'problem', detail: 'git is not installed', fix: 'Install git.' },
    {
      name: 'breaks',
      status: 'problem',
      detail: 'this check failed, which is a bug in autotest: x is undefined',
      fix: expect.stringContaining('--verbose'),
      stack: expect.stringContaining('run-checks.test.ts'),
    },
    { name: 'throws at once', status: 'problem', detail: 'no', fix: undefined },
    {
      name: 'hangs',
      status: 'problem',
      detail: 'no answer within 0.3 s',
      fix: expect.stringContaining('waits for'),
    },
    { name: 'is slow', status: 'ok', detail: 'late' },
    { name: 'is quick', status: 'ok', detail: 'here' },
  ])
  expect(aborted).toBe(true)
})

it('an interrupt ends the wait at once', async () => {
  const interrupt = new AbortController()
  setTimeout(() => interrupt.abort(), 20)
  const hanging = check('hangs', () => new Promise(() => undefined))
  await expect(rowsOf([hanging], 60_000, interrupt.signal)).rejects.toMatchObject({ code: 'interrupted' })
  await expect(rowsOf([hanging], 60_000, interrupt.signal)).rejects.toMatchObject({ code: 'interrupted' })
})

it('each check has a name of its own, which fits its column', () => {
  const names = checks.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(Math.max(...names.map((name) => name.length))).toBeLessThan(17)
})
