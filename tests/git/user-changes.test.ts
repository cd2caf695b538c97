import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { describeUserChanges, type RunWrite } from '../../src/git/user-changes.js'
import { scratchFolder } from '../edit/folder-tree.js'
import { needsSubmodules } from '../needs.js'
import { git, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

const none = (): RunWrite[] => []
const wrote = (before: string | null, after: string | null): RunWrite => ({
  before: before === null ? null : Buffer.from(before),
  after: after === null ? null : Buffer.from(after),
})

it('a file that is as committed has none, nor one in no repository or without git', async () => {
  const folder = made(repository())
  expect(await describeUserChanges(folder, 'kb/a.sql', none)).toBeUndefined()
  const plain = made(scratchFolder('plain'))
  write(plain, 'kb/a.sql', 'a')
  expect(await describeUserChanges(plain, 'kb/a.sql', none)).toBeUndefined()
  write(folder, 'kb/a.sql', 'mine\n')
  vi.stubEnv('PATH', '/nowhere')
  expect(await describeUserChanges(folder, 'kb/a.sql', none)).toBeUndefined()
})

it('changes in the tree, in the index, and a deletion are told apart', async () => {
  const folder = made(
    repository({ 'p/kb/métrique "x".sql': 'x\n', 'p/kb/b.sql': 'b\n', 'p/kb/deep/c.sql': 'c\n' }),
  )
  const root = join(folder, 'p')
  write(root, 'kb/métrique "x".sql', 'mine\n')
  write(root, 'kb/b.sql', 'mine\n')
  git(root, 'add', 'kb/b.sql')
  rmSync(join(root, 'kb/deep'), { recursive: true })
  expect(await describeUserChanges(root, 'kb/métrique "x".sql', none)).toBe('has uncommitted changes')
  expect(await describeUserChanges(root, 'kb/b.sql', none)).toBe('has staged changes')
  const deletion = 'has an uncommitted deletion'
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(await describeUserChanges(root, 'kb/deep/c.sql', none)).toBe(deletion)
  expect(await describeUserChanges(root, 'kb/deep/c.sql', none, bytes('mine\n'))).toBe(deletion)
  expect(await describeUserChanges(root, 'kb/deep/c.sql', none, bytes('c\n'))).toBeUndefined()
})

it('a deleted file whose text starts with a byte order mark is given back, too', async () => {
  const text = '\uFEFFSELECT 1\n'
  const folder = made(repository({ 'kb/a.sql': text }))
  rmSync(join(folder, 'kb/a.sql'))
  expect(await describeUserChanges(folder, 'kb/a.sql', none, new TextEncoder().encode(text))).toBeUndefined()
})

it('a deleted file is given back with the line endings of the checkout', async () => {
  const folder = made(repository({ '.gitattributes': '*.sql text eol=crlf\n', 'kb/a.sql': 'a\r\n' }))
  rmSync(join(folder, 'kb/a.sql'))
  const given = async (text: string) =>
    await describeUserChanges(folder, 'kb/a.sql', none, new TextEncoder().encode(text))
  expect(await given('a\r\n')).toBeUndefined()
  expect(await given('a\n')).toBe('has an uncommitted deletion')
})

it('a deletion that is staged is called one', async () => {
  const folder = made(repository())
  git(folder, 'rm', '--quiet', 'kb/a.sql')
  const after = new TextEncoder().encode('a1\n')
  expect(await describeUserChanges(folder, 'kb/a.sql', none, after)).toBe(
    'has a staged, uncommitted deletion',
  )
})

it('a conflict is called one', async () => {
  const folder = made(repository())
  git(folder, 'checkout', '--quiet', '-b', 'side')
  write(folder, 'kb/a.sql', 'theirs\n')
  git(folder, 'commit', '--quiet', '--all', '--message=theirs')
  git(folder, 'checkout', '--quiet', 'main')
  write(folder, 'kb/a.sql', 'ours\n')
  git(folder, 'commit', '--quiet', '--all', '--message=ours')
  expect(() => git(folder, 'merge', '--quiet', 'side')).toThrow()
  expect(await describeUserChanges(folder, 'kb/a.sql', none)).toBe('has an unresolved merge conflict')
})

it('a file that git does not have yet, or ignores, has none; one that is added has', async () => {
  const folder = made(repository({ '.gitignore': 'kb/local.sql\n' }))
  for (const name of ['new', 'announced', 'added', 'local']) write(folder, `kb/${name}.sql`, 'n\n')
  git(folder, 'add', '--intent-to-add', 'kb/announced.sql')
  git(folder, 'add', 'kb/added.sql')
  expect(await describeUserChanges(folder, 'kb/new.sql', none)).toBeUndefined()
  expect(await describeUserChanges(folder, 'kb/announced.sql', none)).toBeUndefined()
  expect(await describeUserChanges(folder, 'kb/local.sql', none)).toBeUndefined()
  expect(await describeUserChanges(folder, 'kb/not/there.sql', none)).toBeUndefined()
  expect(await describeUserChanges(folder, 'kb/added.sql', none)).toBe('has staged changes')
})

it('a repository inside the project is asked for its own files', needsSubmodules, async () => {
  const folder = made(repository())
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', made(repository()), 'module')
  git(folder, 'commit', '--quiet', '--message=module')
  expect(await describeUserChanges(folder, 'module/kb/a.sql', none)).toBeUndefined()
  write(folder, 'module/kb/a.sql', 'mine\n')
  expect(await describeUserChanges(folder, 'module/kb/a.sql', none)).toBe('has uncommitted changes')
})

describe('what runs wrote', () => {
  it('is not of the user, over several runs, as long as nothing else is between file and commit', async () => {
    const folder = made(repository())
    write(folder, 'kb/a.sql', 'a3\n')
    const [first, second] = [wrote('a1\n', 'a2\n'), wrote('a2\n', 'a3\n')]
    expect(await describeUserChanges(folder, 'kb/a.sql', () => [second, first])).toBeUndefined()
    expect(await describeUserChanges(folder, 'kb/a.sql', () => [first])).toBeDefined()
    expect(await describeUserChanges(folder, 'kb/a.sql', () => [second])).toBeDefined()
    // A run that was allowed to repair on top of what the user had changed.
    expect(
      await describeUserChanges(folder, 'kb/a.sql', () => [second, wrote('mine\n', 'a2\n')]),
    ).toBeDefined()
    appendFileSync(join(folder, 'kb/a.sql'), '\n')
    expect(await describeUserChanges(folder, 'kb/a.sql', () => [second, first])).toBeDefined()
  })

  it('counts as of the user once it is staged', async () => {
    const folder = made(repository())
    write(folder, 'kb/a.sql', 'a2\n')
    git(folder, 'add', 'kb/a.sql')
    expect(await describeUserChanges(folder, 'kb/a.sql', () => [wrote('a1\n', 'a2\n')])).toBe(
      'has staged changes',
    )
  })

  it('is compared as git stores it: line endings, bytes that are no text', async () => {
    const folder = made(repository({ '.gitattributes': '*.sql text eol=crlf\n' }))
    const before = Buffer.from([0xe9, 0x0d, 0x0a])
    const after = Buffer.from([0xe9, 0xe8, 0x0d, 0x0a])
    mkdirSync(join(folder, 'kb'), { recursive: true })
    writeFileSync(join(folder, 'kb/latin.sql'), before)
    git(folder, 'add', '--all')
    git(folder, 'commit', '--quiet', '--message=latin')
    writeFileSync(join(folder, 'kb/latin.sql'), after)
    expect(await describeUserChanges(folder, 'kb/latin.sql', () => [{ before, after }])).toBeUndefined()
    expect(await describeUserChanges(folder, 'kb/latin.sql', none)).toBeDefined()
  })
})
