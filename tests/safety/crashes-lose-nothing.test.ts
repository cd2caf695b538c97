import { execFileSync, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { needing } from '../needs.js'

const root = resolve(import.meta.dirname, '../..')
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0
const needsCompiler = needing(
  'failing disks and power cuts',
  hasCompiler ? undefined : 'no C compiler for Linux is here',
)

it('a failing disk or a power cut leaves each file as before or as after', {
  ...needsCompiler,
  timeout: 300_000,
}, () => {
  const said = execFileSync(process.execPath, ['bench/power-cuts.js', '--most', '6'], {
    cwd: root,
    encoding: 'utf8',
  })
  const [, wrong, points] = /^torn or lost: (\d+) of (\d+)$/m.exec(said) ?? []
  expect([said, wrong]).toEqual([said, '0'])
  expect(Number(points)).toBeGreaterThan(60)
})

it('a command that is killed loses no byte', { timeout: 300_000 }, () => {
  const acts = ['repair', 'apply', 'revert'].flatMap((name) => ['--act', name])
  const said = execFileSync(process.execPath, ['bench/kills.js', '--points', '2', ...acts], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(said).toMatch(/^bytes lost: 0 of [1-9]\d* kills$/m)
})
