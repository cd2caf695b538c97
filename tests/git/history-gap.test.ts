import { expect, it, vi } from 'vitest'
import { historyGap } from '../../src/git/history-gap.js'
import { needsSubmodules } from '../needs.js'
import { foreignGit, git, isolatedFolders, repository, submodule, write } from './repository.js'

const made = isolatedFolders()

it('a shallow clone is told from a whole one, and from no repository', async () => {
  const root = made(repository({ 'kb/b.yaml': 'one\n' }))
  write(root, 'kb/b.yaml', 'two\n')
  git(root, 'commit', '--quiet', '--all', '--message', 'two')
  const clone = `${root}-clone`
  git(root, 'clone', '--quiet', '--depth=1', `file://${root}`, clone)
  made(clone)
  const [hash, date] = git(root, 'log', '-1', '--format=%h %as').trim().split(' ')
  expect(await historyGap(clone, 'kb')).toEqual({ kind: 'shallow', oldest: `commit ${hash} (${date})` })
  const partial = `${root}-partial`
  git(root, 'config', 'uploadpack.allowFilter', 'true')
  git(root, 'clone', '--quiet', '--filter=blob:none', `file://${root}`, partial)
  made(partial)
  expect(await historyGap(partial, 'kb')).toEqual({ kind: 'partial' })
  expect(await historyGap(root, 'kb')).toBeUndefined()
  expect(await historyGap(root, 'kb/none')).toBeUndefined()
  expect(await historyGap('/', 'kb')).toBeUndefined()
})

it('a repository that belongs to another user is told with the remedy', async () => {
  const root = made(repository())
  vi.stubEnv('PATH', foreignGit(made))
  expect(await historyGap(root, 'kb')).toEqual({
    kind: 'foreign',
    remedy: `git config --global --add safe.directory ${root}`,
  })
})

it(
  'knowledge in a repository of its own is told, also below the top of the outer one',
  needsSubmodules,
  async () => {
    const top = made(repository({ 'p/a.txt': 'a\n' }))
    submodule(top, 'p/kb', made(repository({ 'snippets/a.sql': 'a\n' })))
    expect(await historyGap(`${top}/p`, 'kb/snippets')).toEqual({ kind: 'nested', path: 'kb' })
    expect(await historyGap(top, 'p')).toBeUndefined()
  },
)

it('without git nothing is said', async () => {
  const root = made(repository())
  vi.stubEnv('PATH', '/nowhere')
  expect(await historyGap(root, 'kb')).toBeUndefined()
})
