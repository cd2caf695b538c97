import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('counts every statement except blocks, and apart from them what runs nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-count-'))
  mkdirSync(join(folder, 'room'))
  writeFileSync(
    join(folder, 'room/one.ts'),
    "import { b } from './b.js'\nexport function a(): void {\n  if (b) {\n    b()\n  }\n}\n",
  )
  writeFileSync(join(folder, 'loose.ts'), 'export type One = 1\n')
  const { stdout } = spawnSync(process.execPath, ['scripts/count-statements.js', folder], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  const rows = stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s{2,}/))
  expect(rows).toEqual([
    ['(loose files)', '1', '1', '0', '1'],
    ['room', '1', '4', '3', '1'],
    ['all', '2', '5', '3', '2'],
  ])
})
