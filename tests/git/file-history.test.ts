import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  changedTexts,
  commitDate,
  fileHistory,
  previousTexts,
  textAfter,
} from '../../src/git/file-history.js'
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
  for await (const text of previousTexts(root, (await removedLines(root, folder)).lines)) found.push(text)
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

it('right after a change are what that commit has, or what is there now', async () => {
  const root = made(repository({ 'p/kb/n.md': 'one\n' }))
  const second = commit(root, 'p/kb/n.md', 'two\n')
  commit(root, 'p/kb/n.md', 'three\n')
  write(root, 'p/kb/n.md', 'four\n')
  const after = async (by: string, name = 'n') => await textAfter(join(root, 'p'), `kb/${name}.md`, by)
  expect(await after(`commit ${second}`)).toBe('two\n')
  expect(await after('an uncommitted change')).toBe('four\n')
  expect([await after(`commit ${second}`, 'x'), await after('an uncommitted change', 'x')]).toEqual([
    undefined,
    undefined,
  ])
})

it('of one file have the line endings of the checkout', async () => {
  const root = made(
    repository({ '.gitattributes': '*.sql text eol=crlf\n', 'p/kb/a.sql': 'one\r\n', 'p/kb/b.sql': 'x\r\n' }),
  )
  expect(git(root, 'show', 'HEAD:p/kb/a.sql')).toBe('one\n')
  git(root, 'rm', '--quiet', 'p/kb/a.sql')
  git(root, 'commit', '--quiet', '--message', 'gone')
  rmSync(join(root, 'p/kb/b.sql'))
  for (const [name, text] of [
    ['a', 'one\r\n'],
    ['b', 'x\r\n'],
  ])
    expect((await fileHistory(join(root, 'p'), `kb/${name}.sql`, 1).next()).value).toMatchObject({ text })
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

async function historyOf(root: string, path: string) {
  const found: [string, string][] = []
  for await (const { text, by } of fileHistory(root, path, 10)) found.push([by.replace('commit ', ''), text])
  return found
}

it('of one file are what each change found, where it was taken out and came again, too', async () => {
  const root = made(repository({ 'kb/a.sql': 'one\n' }))
  git(root, 'rm', '--quiet', 'kb/a.sql')
  git(root, 'commit', '--quiet', '--message', 'gone')
  const gone = git(root, 'rev-parse', '--short', 'HEAD').trim()
  commit(root, 'kb/a.sql', 'two\n')
  expect(await historyOf(root, 'kb/a.sql')).toEqual([
    // Neither the commit that created it nor the one that brought it again changed anything.
    [gone, 'one\n'],
  ])
})

it('of one file are those of this branch: what a merge brought is one change', async () => {
  const root = made(repository({ 'kb/a.sql': 'one\n' }))
  git(root, 'checkout', '--quiet', '-b', 'side')
  commit(root, 'kb/a.sql', 'one\ntwo\n')
  commit(root, 'kb/a.sql', 'one\ntwo\nthree\n')
  git(root, 'checkout', '--quiet', 'main')
  const own = commit(root, 'kb/a.sql', 'zero\none\n')
  git(root, 'merge', '--quiet', '--no-ff', '--message', 'merge', '-X', 'ours', 'side')
  const merge = git(root, 'rev-parse', '--short', 'HEAD').trim()
  expect((await historyOf(root, 'kb/a.sql')).slice(0, 2)).toEqual([
    [merge, 'zero\none\n'],
    [own, 'one\n'],
  ])
})

it('of one file are empty where they were not in UTF-8: they could not be given back', async () => {
  const root = made(repository({ 'kb/a.sql': 'x\n' }))
  writeFileSync(join(root, 'kb/a.sql'), Buffer.from('-- f\u00fcr\n', 'latin1'))
  git(root, 'commit', '--quiet', '--all', '--message', 'latin')
  commit(root, 'kb/a.sql', 'SELECT 1\n')
  expect((await historyOf(root, 'kb/a.sql')).map(([, text]) => text)).toEqual(['', 'x\n'])
})

it('a change has the files of its folders on both sides, those that are new as well', async () => {
  const root = made(repository({ 'kb/a.sql': 'one\n', 'x.md': 'x\n' }))
  write(root, 'x.md', 'y\n')
  write(root, 'kb/\u00e9.md', 'new\n')
  const by = `commit ${commit(root, 'kb/a.sql', 'two\n')}`
  expect(await changedTexts(root, by, ['kb'])).toEqual([
    { path: 'kb/a.sql', before: 'one\n', after: 'two\n' },
    { path: 'kb/\u00e9.md', before: undefined, after: 'new\n' },
  ])
  write(root, 'kb/a.sql', 'three\n')
  write(root, 'kb/b.sql', 'untracked\n')
  expect(await changedTexts(root, 'an uncommitted change', ['kb'])).toEqual([
    { path: 'kb/b.sql', before: undefined, after: undefined },
    { path: 'kb/a.sql', before: 'two\n', after: undefined },
  ])
  expect(await changedTexts(root, by, [])).toEqual([])
})

it('of a commit have the day on which it was written', async () => {
  const root = made(repository({ 'n.md': 'one\n' }))
  git(root, 'commit', '--quiet', '--allow-empty', '--message', 'x', '--date', '2025-11-03T12:00:00Z')
  const hash = git(root, 'rev-parse', '--short', 'HEAD').trim()
  expect(await commitDate(root, `commit ${hash}`)).toBe('2025-11-03')
  expect(await commitDate(root, 'an uncommitted change')).toBeUndefined()
})

it('of a file that was moved go on under its former name, and the move is no change', async () => {
  const root = made(repository({ 'p/kb/old.sql': 'a\nb\nc\nd\ne\nf\n' }))
  const second = commit(root, 'p/kb/old.sql', 'a\nb\nc\nd\ne\n')
  git(root, 'mv', 'p/kb/old.sql', 'p/kb/new.sql')
  git(root, 'commit', '--quiet', '--message', 'move')
  const third = commit(root, 'p/kb/new.sql', 'a\nb\nc\nd\n')
  expect(await historyOf(join(root, 'p'), 'kb/new.sql')).toEqual([
    [third, 'a\nb\nc\nd\ne\n'],
    [second, 'a\nb\nc\nd\ne\nf\n'],
  ])
})

it('of a copy do not include those of the file that it was copied from', async () => {
  const root = made(repository({ 'kb/a.sql': 'a\nb\nc\nd\ne\nf\n' }))
  const text = 'a\nb\nc\nd\ne\n'
  commit(root, 'kb/a.sql', text)
  commit(root, 'kb/b.sql', text)
  expect(await historyOf(root, 'kb/b.sql')).toEqual([])
})

it('of one file end where a shallow clone ends', async () => {
  const origin = made(repository({ 'kb/a.sql': 'one\n' }))
  commit(origin, 'kb/a.sql', 'two\n')
  const third = commit(origin, 'kb/a.sql', 'three\n')
  const clone = `${origin}-shallow`
  git(origin, 'clone', '--quiet', '--depth', '2', `file://${origin}`, clone)
  try {
    expect(await historyOf(clone, 'kb/a.sql')).toEqual([[third, 'two\n']])
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
})
