import { expect, it } from 'vitest'
import { fileHistory, formerTexts } from '../../src/git/former-texts.js'
import { removedLines } from '../../src/git/removed-lines.js'
import { git, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

function commit(root: string, path: string, text: string): string {
  write(root, path, text)
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', 'change')
  return git(root, 'rev-parse', '--short', 'HEAD').trim()
}

async function before(root: string, folder: string) {
  const found = []
  for await (const text of formerTexts(root, await removedLines(root, folder))) found.push(text)
  return found
}

it('are what a file held before each change that took something out of it, newest first', async () => {
  const root = made(repository({ 'benchmarks/é.yaml': 'one\n', 'benchmarks/other.yaml': 'x\n' }))
  const path = 'benchmarks/é.yaml'
  const second = commit(root, path, 'two\n')
  commit(root, path, 'two\nand more\n')
  const other = commit(root, 'benchmarks/other.yaml', 'y\n')
  write(root, path, 'three\nand more\n')
  expect(await before(root, 'benchmarks')).toEqual([
    { path, text: 'two\nand more\n', by: 'an uncommitted change' },
    { path: 'benchmarks/other.yaml', text: 'x\n', by: `commit ${other}` },
    { path, text: 'one\n', by: `commit ${second}` },
  ])
})

it('of a project below the root of its repository are found there', async () => {
  const folder = made(repository({ 'p/b.yaml': 'one\n', 'b.yaml': 'x\n' }))
  write(folder, 'p/b.yaml', 'two\n')
  expect(await before(`${folder}/p`, 'b.yaml')).toEqual([
    { path: 'b.yaml', text: 'one\n', by: 'an uncommitted change' },
  ])
})

it('what a merge did itself is found, too', async () => {
  const root = made(repository({ 'b.yaml': 'one\n', 'c.yaml': 'x\n' }))
  git(root, 'checkout', '--quiet', '-b', 'side')
  commit(root, 'c.yaml', 'y\n')
  git(root, 'checkout', '--quiet', 'main')
  git(root, 'merge', '--quiet', '--no-ff', '--no-commit', 'side')
  const merge = commit(root, 'b.yaml', 'two\n')
  expect(await before(root, 'b.yaml')).toEqual([{ path: 'b.yaml', text: 'one\n', by: `commit ${merge}` }])
})

it('of one file are found also where a change only added to it, newest first', async () => {
  const root = made(repository({ 'kb/a.sql': 'one\n', 'kb/b.sql': 'x\n' }))
  const second = commit(root, 'kb/a.sql', 'one\ntwo\n')
  commit(root, 'kb/b.sql', 'y\n')
  const third = commit(root, 'kb/a.sql', 'one\ntwo\nthree\n')
  const found = async (path: string, most = 10) => {
    const texts = []
    for await (const text of fileHistory(root, path, most)) texts.push(text)
    return texts
  }
  expect(await found('kb/a.sql')).toEqual([
    { path: 'kb/a.sql', text: 'one\ntwo\n', by: `commit ${third}` },
    { path: 'kb/a.sql', text: 'one\n', by: `commit ${second}` },
  ])
  write(root, 'kb/a.sql', 'four\n')
  expect(await found('kb/a.sql', 1)).toMatchObject([
    { text: 'one\ntwo\nthree\n', by: 'an uncommitted change' },
    { by: `commit ${third}` },
  ])
  expect(await found('kb/none.sql')).toEqual([])
  expect((await fileHistory('/', 'kb/a.sql', 5).next()).done).toBe(true)
})
