import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { maxCommitsOfFolders, removedLines } from '../../src/git/removed-lines.js'
import { scratchFolder } from '../edit/folder-tree.js'
import { git, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

function commit(folder: string): string {
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', 'change')
  return git(folder, 'rev-parse', '--short', 'HEAD').trim()
}

it('are told with what took them out, newest first, relative to the root', async () => {
  const folder = made(repository({ 'p/kb/métrique.yaml': 'a\n-- b\nc\n', 'p/other.yaml': 'x\n' }))
  const root = join(folder, 'p')
  write(root, 'kb/métrique.yaml', 'a\nc\n')
  write(root, 'other.yaml', 'y\n')
  const hash = commit(folder)
  write(root, 'kb/métrique.yaml', 'a')
  expect((await removedLines(root, 'kb')).lines).toEqual([
    { path: 'kb/métrique.yaml', text: 'a', by: 'an uncommitted change' },
    { path: 'kb/métrique.yaml', text: 'c', by: 'an uncommitted change' },
    { path: 'kb/métrique.yaml', text: '-- b', by: `commit ${hash}` },
  ])
})

it('include those of files that are gone, whatever the settings of diff', async () => {
  const folder = made(repository({ 'kb/a.yaml': 'aliases: [x]\n' }))
  git(folder, 'config', 'diff.noprefix', 'true')
  git(folder, 'config', 'color.ui', 'always')
  rmSync(join(folder, 'kb/a.yaml'))
  const hash = commit(folder)
  expect((await removedLines(folder, 'kb')).lines).toEqual([
    { path: 'kb/a.yaml', text: 'aliases: [x]', by: `commit ${hash}` },
  ])
})

it('there are none in no repository, before the first commit, and without git', async () => {
  const plain = made(scratchFolder('plain'))
  expect((await removedLines(plain, 'kb')).lines).toEqual([])
  git(plain, 'init', '--quiet')
  write(plain, 'kb/a.yaml', 'a\n')
  expect((await removedLines(plain, 'kb')).lines).toEqual([])
  const folder = made(repository())
  appendFileSync(join(folder, 'kb/a.sql'), 'b')
  vi.stubEnv('PATH', '/nowhere')
  expect((await removedLines(folder, 'kb')).lines).toEqual([])
})

it('are told whatever the dates of the commits are, to a number of commits', async () => {
  const folder = made(repository({ 'kb/a.yaml': 'a\nb\n' }))
  vi.stubEnv('GIT_AUTHOR_DATE', '@0 +0000')
  vi.stubEnv('GIT_COMMITTER_DATE', '@0 +0000')
  write(folder, 'kb/a.yaml', 'a\n')
  const hash = commit(folder)
  expect(await removedLines(folder, 'kb')).toEqual({
    lines: [{ path: 'kb/a.yaml', text: 'b', by: `commit ${hash}` }],
    isCut: false,
  })
  const text = (at: number): string => `data 5\n${String(at).padStart(5, '0')}\n`
  const commits = Array.from(
    { length: maxCommitsOfFolders },
    (_, at) =>
      `commit refs/heads/main\ncommitter T <t@example.com> 0 +0000\n${text(at)}${at === 0 ? `from ${hash}\n` : ''}M 100644 inline kb/b.yaml\n${text(at)}`,
  )
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: commits.join('') })
  git(folder, 'reset', '--quiet', '--hard')
  const { lines, isCut } = await removedLines(folder, 'kb')
  expect(isCut).toBe(true)
  expect(lines.filter(({ path }) => path === 'kb/b.yaml')).toHaveLength(maxCommitsOfFolders - 1)
  expect(lines.some(({ path }) => path === 'kb/a.yaml')).toBe(false)
})
