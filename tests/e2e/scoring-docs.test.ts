import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('the examples of the pages about scoring are what autotest compare prints', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/scoring-docs.js', '--check'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
