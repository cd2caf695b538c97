import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('docs/cli.md is what --help says', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/cli-docs.js', '--check'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
