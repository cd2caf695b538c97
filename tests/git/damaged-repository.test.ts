import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commitRepair } from '../../src/git/commit.js'
import { historyGap } from '../../src/git/history-gap.js'
import { inspectRepository } from '../../src/git/inspect-repository.js'
import { isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

function repaired(damage: (folder: string) => void): string {
  const folder = made(repository())
  write(folder, 'kb/a.sql', 'a2\n')
  damage(folder)
  return folder
}

const request = { paths: ['kb/a.sql'], subject: 'repair', body: '', trailers: { Run: 'r-1' } }

it('a damaged HEAD is told as that, not as a project without git', async () => {
  const folder = repaired((at) => writeFileSync(join(at, '.git/HEAD'), 'garbage\n'))
  const state = await inspectRepository(folder)
  expect(state).toMatchObject({
    kind: 'none',
    reason: `git does not recognise ${join(folder, '.git')} as a repository`,
  })
  expect(await commitRepair(folder, request)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('does not recognise'),
  })
})

it.each<[string, (folder: string) => void]>([
  [
    'a branch at a missing commit',
    (at) => writeFileSync(join(at, '.git/refs/heads/main'), `${'1'.repeat(40)}\n`),
  ],
  ['damaged objects', damageObjects],
])('%s is no file without changes', async (_what, damage) => {
  const folder = repaired(damage)
  const outcome = await commitRepair(folder, request)
  expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^git status failed: ./u) })
  expect(await historyGap(folder, 'kb')).toMatchObject({ kind: 'unreadable' })
})

it('a repository without a commit has no history to miss', async () => {
  const folder = made(repository())
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/new\n')
  expect(await historyGap(folder, 'kb')).toBeUndefined()
})

function damageObjects(folder: string): void {
  const objects = join(folder, '.git/objects')
  for (const path of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
    if (!/[0-9a-f]{38}$/u.test(path)) continue
    chmodSync(join(objects, path), 0o644)
    writeFileSync(join(objects, path), 'x')
  }
}
