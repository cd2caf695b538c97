import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

function check(script: string): void {
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
}

it('docs/cli.md is what --help says', () => check('scripts/cli-docs.js'))

it('docs/configuration.md is what the schema and the defaults say', () => check('scripts/config-docs.js'))
