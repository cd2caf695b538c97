import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { inspectRepository } from '../../src/git/inspect-repository.js'
import { scratchFolder } from '../edit/folder-tree.js'
import { git, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

it('a folder in no repository is none', async () => {
  const folder = made(scratchFolder('plain'))
  expect(await inspectRepository(folder)).toEqual({ kind: 'none', reason: 'not a git repository' })
})

it('without git installed it is none', async () => {
  const folder = made(repository())
  vi.stubEnv('PATH', '/nowhere')
  expect(await inspectRepository(folder)).toEqual({
    kind: 'none',
    reason: 'git is not installed',
    isBroken: true,
  })
})

it('a clean repository has a branch, an identity and no changes', async () => {
  const folder = made(repository())
  expect(await inspectRepository(folder)).toEqual({
    kind: 'repo',
    top: folder,
    branch: 'main',
    isUnborn: false,
    operationInProgress: undefined,
    dirtyPaths: [],
    stagedPaths: [],
    identity: true,
  })
})

it('changed, staged and new files are named relative to the root, also with odd names and below the top', async () => {
  const top = made(repository({ 'p/kb/a.sql': 'a', 'p/kb/b.sql': 'b', 'p/kb/c.sql': 'c', 'other.sql': 'o' }))
  write(top, 'p/kb/a.sql', 'a2')
  write(top, 'p/kb/b.sql', 'b2')
  rmSync(join(top, 'p/kb/c.sql'))
  write(top, 'p/kb/new folder/métrique "x".sql', 'n')
  write(top, 'other.sql', 'o2')
  git(top, 'add', 'p/kb/b.sql', 'other.sql')
  expect(await inspectRepository(join(top, 'p'))).toMatchObject({
    top,
    dirtyPaths: ['kb/a.sql', 'kb/b.sql', 'kb/c.sql', 'kb/new folder/métrique "x".sql'],
    stagedPaths: ['kb/b.sql'],
  })
})

it('a repository without a commit has its branch', async () => {
  const folder = made(scratchFolder('unborn'))
  git(folder, 'init', '--quiet', '--initial-branch=trunk')
  expect(await inspectRepository(folder)).toMatchObject({ branch: 'trunk' })
})

it('a detached head has no branch', async () => {
  const folder = made(repository())
  git(folder, 'checkout', '--quiet', '--detach')
  expect(await inspectRepository(folder)).toMatchObject({ branch: undefined })
})

it('an identity that is missing is said', async () => {
  const folder = made(repository())
  git(folder, 'config', '--unset', 'user.email')
  git(folder, 'config', 'user.useConfigOnly', 'true')
  expect(await inspectRepository(folder)).toMatchObject({ identity: false })
})

it('an identity from the environment counts', async () => {
  const folder = made(repository())
  git(folder, 'config', '--remove-section', 'user')
  git(folder, 'config', 'user.useConfigOnly', 'true')
  for (const role of ['AUTHOR', 'COMMITTER']) {
    vi.stubEnv(`GIT_${role}_NAME`, 'Eve')
    vi.stubEnv(`GIT_${role}_EMAIL`, 'eve@example.com')
  }
  expect(await inspectRepository(folder)).toMatchObject({ identity: true })
})

it("another command's GIT_DIR and GIT_INDEX_FILE do not lead elsewhere", async () => {
  const folder = made(repository())
  vi.stubEnv('GIT_DIR', '/nowhere')
  vi.stubEnv('GIT_WORK_TREE', '/tmp')
  vi.stubEnv('GIT_INDEX_FILE', '/nowhere/index')
  expect(await inspectRepository(folder)).toMatchObject({ top: folder, dirtyPaths: [] })
})

it('a linked working tree is a repository of its own branch', async () => {
  const folder = made(repository())
  const tree = join(folder, 'trees/side')
  git(folder, 'worktree', 'add', '--quiet', '-b', 'side', tree)
  expect(await inspectRepository(tree)).toMatchObject({
    top: tree,
    branch: 'side',
    operationInProgress: undefined,
  })
})

describe('what a person is in the middle of', () => {
  function conflicting(): string {
    const folder = made(repository({ 'kb/a.sql': '1\n' }))
    git(folder, 'checkout', '--quiet', '-b', 'side')
    write(folder, 'kb/a.sql', '2\n')
    git(folder, 'commit', '--quiet', '--all', '--message', 'two')
    git(folder, 'checkout', '--quiet', 'main')
    write(folder, 'kb/a.sql', '3\n')
    git(folder, 'commit', '--quiet', '--all', '--message', 'three')
    return folder
  }

  it.each<[string, string, string[]]>([
    ['a merge', 'merge', ['merge', 'side']],
    ['a rebase', 'rebase', ['rebase', 'side']],
    ['a rebase by patches', 'rebase', ['rebase', '--apply', 'side']],
    ['a cherry-pick', 'cherry-pick', ['cherry-pick', 'side']],
    ['a revert', 'revert', ['revert', '--no-edit', 'side']],
  ])('%s', async (_name, blocked, command) => {
    const folder = conflicting()
    expect(() => git(folder, ...command)).toThrowError()
    expect(await inspectRepository(folder)).toMatchObject({ operationInProgress: blocked })
  })

  it('a bisect', async () => {
    const folder = conflicting()
    git(folder, 'bisect', 'start')
    expect(await inspectRepository(folder)).toMatchObject({ operationInProgress: 'bisect' })
  })

  it('a merge in a linked working tree, but not in the main one', async () => {
    const folder = conflicting()
    const tree = join(folder, '../', `${folder.split('/').at(-1)}-tree`)
    mkdirSync(tree)
    made(tree)
    git(folder, 'worktree', 'add', '--quiet', tree, 'side')
    expect(() => git(tree, 'merge', 'main')).toThrowError()
    expect(await inspectRepository(tree)).toMatchObject({ operationInProgress: 'merge' })
    expect(await inspectRepository(folder)).toMatchObject({ operationInProgress: undefined })
  })
})
