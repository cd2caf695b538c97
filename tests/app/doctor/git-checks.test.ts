import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, vi } from 'vitest'
import { scratchFolder } from '../../edit/folder-tree.js'
import { foreignGit, git, isolatedFolders, repository, write } from '../../git/repository.js'
import { finding } from './find-check.js'

const made = isolatedFolders()
const project = (): string =>
  made(repository({ 'autotest.config.yaml': 'kb: kb\n', 'kb/snippets/a.sql': 'SELECT 1\n' }))
const plain = (): string => {
  const folder = made(scratchFolder('doctor'))
  write(folder, 'autotest.config.yaml', 'kb: kb\n')
  return folder
}
const gitLines = ['git identity', 'repository', 'branch', 'history']

it('in a repository with an identity every line is ok', async () => {
  const folder = project()
  expect(await finding('git', folder)).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^\d+\.\d+/),
  })
  expect(await finding('git identity', folder)).toMatchObject({
    status: 'ok',
    detail: 'Ana Lyst <ana@example.com>',
  })
  expect(await finding('repository', folder)).toMatchObject({ status: 'ok' })
  expect(await finding('branch', folder)).toMatchObject({ status: 'ok', detail: 'main' })
  expect(await finding('history', folder)).toMatchObject({ status: 'ok', detail: '1 commit' })
})

it('without git on PATH there is one line, with what installs it', async () => {
  const folder = project()
  vi.stubEnv('PATH', made(scratchFolder('nothing')))
  const row = await finding('git', folder)
  expect(row).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining('not installed, or not on PATH'),
  })
  expect(row?.fix).toMatch(/install git|add git|-S git|git-scm\.com/i)
  for (const name of gitLines) expect([name, await finding(name, folder)]).toEqual([name, undefined])
})

it('without an identity commits fail', async () => {
  const folder = project()
  git(folder, 'config', '--unset', 'user.name')
  git(folder, 'config', '--unset', 'user.email')
  git(folder, 'config', 'user.useConfigOnly', 'true')
  expect(await finding('git identity', folder)).toMatchObject({
    status: 'problem',
    detail: 'user.name and user.email are not set: commits of repairs fail',
    fix: 'git config --global user.name "Your Name" && git config --global user.email you@example.com',
  })
})

it('in no repository: a note, and no line about branch and history', async () => {
  const folder = plain()
  vi.stubEnv('GIT_CEILING_DIRECTORIES', join(folder, '..'))
  expect(await finding('repository', folder)).toMatchObject({
    status: 'note',
    detail: 'not a git repository: repairs cannot be committed, and the file history is unknown',
    fix: 'git init',
  })
  expect(await finding('branch', folder)).toBeUndefined()
  expect(await finding('history', folder)).toBeUndefined()
})

it('in a repository of another user: the command that lets git read it', async () => {
  const folder = project()
  vi.stubEnv('PATH', foreignGit(made))
  expect(await finding('repository', folder)).toMatchObject({
    status: 'problem',
    detail: 'the git repository belongs to another user',
    fix: expect.stringMatching(/^git config --global --add safe\.directory \S+$/),
  })
})

it('in a repository without a commit: a note', async () => {
  const folder = plain()
  git(folder, 'init', '--quiet', '--initial-branch=main')
  expect(await finding('repository', folder)).toMatchObject({
    status: 'note',
    detail: expect.stringContaining('has no commit yet'),
    fix: expect.stringContaining('git commit'),
  })
  expect(await finding('branch', folder)).toMatchObject({ status: 'ok', detail: 'main' })
  expect(await finding('history', folder)).toBeUndefined()
})

/** Two branches that change one file, each in its own way. */
function diverged(): string {
  const folder = project()
  git(folder, 'switch', '--quiet', '--create', 'other')
  write(folder, 'kb/snippets/a.sql', 'SELECT 2\n')
  git(folder, 'commit', '--quiet', '--all', '--message', 'other')
  git(folder, 'switch', '--quiet', 'main')
  write(folder, 'kb/snippets/a.sql', 'SELECT 3\n')
  git(folder, 'commit', '--quiet', '--all', '--message', 'main')
  return folder
}

it.each([
  ['merge', ['merge', 'other'], 'git merge --continue (or --abort)'],
  ['rebase', ['rebase', 'other'], 'git rebase --continue (or --abort)'],
  ['cherry-pick', ['cherry-pick', 'other'], 'git cherry-pick --continue (or --abort)'],
])('a %s under way: how it ends', async (what, command, fix) => {
  const folder = diverged()
  expect(() => git(folder, ...command)).toThrow()
  expect(await finding('repository', folder)).toMatchObject({
    status: 'problem',
    detail: `a ${what} is in progress: repairs cannot be committed until it ends`,
    fix,
  })
  const branch = await finding('branch', folder)
  expect(branch?.status).toBe(what === 'rebase' ? undefined : 'ok')
})

it('another git command at work is named by its lock', async () => {
  const folder = project()
  writeFileSync(join(folder, '.git/index.lock'), '')
  expect(await finding('repository', folder)).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining('index.lock exists'),
    fix: expect.stringMatching(/rm .*index\.lock$/),
  })
})

it('a detached head is a note', async () => {
  const folder = project()
  git(folder, 'checkout', '--quiet', '--detach')
  expect(await finding('branch', folder)).toMatchObject({
    status: 'note',
    detail: 'HEAD is detached: commits of repairs are on no branch',
    fix: 'git switch --create NAME',
  })
})

it('a shallow clone is a note', async () => {
  const origin = diverged()
  const clone = join(made(scratchFolder('clone')), 'clone')
  git(origin, 'clone', '--quiet', '--depth', '1', pathToFileURL(origin).href, clone)
  expect(await finding('history', clone)).toMatchObject({
    status: 'note',
    detail: 'a shallow clone of 1 commit: older file history is unknown',
    fix: 'git fetch --unshallow (in CI: fetch-depth: 0)',
  })
})

it('a knowledge base in a repository of its own is a note', async () => {
  const folder = project()
  git(join(folder, 'kb'), 'init', '--quiet')
  expect(await finding('history', folder)).toMatchObject({
    status: 'note',
    detail: expect.stringContaining('kb is a nested repository'),
    fix: 'Commit repairs there: git -C kb commit --all',
  })
})

it('outside a project nothing is said of the folder', async () => {
  const folder = made(repository({}))
  for (const name of ['repository', 'branch', 'history'])
    expect([name, await finding(name, folder)]).toEqual([name, undefined])
  expect(await finding('git identity', folder)).toMatchObject({ status: 'ok' })
})
