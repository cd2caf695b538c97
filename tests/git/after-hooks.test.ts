import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commitRepair } from '../../src/git/commit.js'
import { git, hook, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

/** Commits a repaired file where a hook with this script runs. */
async function committedWith(
  name: string,
  script: string,
  prepare: (folder: string) => void = () => undefined,
) {
  const folder = made(repository())
  write(folder, 'kb/a.sql', 'a2\n')
  prepare(folder)
  hook(folder, name, script)
  const request = { paths: ['kb/a.sql'], subject: 'repair', body: '', trailers: { Run: 'r-1' } }
  return { folder, outcome: await commitRepair(folder, request) }
}

const status = (folder: string): string => git(folder, 'status', '--short', '--', 'kb', 'more.txt')

it('a hook that adds files is told, and leaves nothing staged', async () => {
  const { folder, outcome } = await committedWith('pre-commit', 'git add more.txt', (at) =>
    write(at, 'more.txt', 'new\n'),
  )
  expect(outcome).toMatchObject({ kind: 'committed', warning: 'a hook added more.txt to the commit' })
  expect(status(folder)).toBe('')
})

it('what the user had staged of a file that a hook added stays staged', async () => {
  const { folder } = await committedWith('pre-commit', 'git add kb/b.sql', (at) => {
    write(at, 'kb/b.sql', 'staged\n')
    git(at, 'add', 'kb/b.sql')
    write(at, 'kb/b.sql', 'later\n')
  })
  expect(git(folder, 'show', ':kb/b.sql')).toBe('staged\n')
  expect(readFileSync(join(folder, 'kb/b.sql'), 'utf8')).toBe('later\n')
})

it('a hook that changes the repaired file is told, and leaves the file clean', async () => {
  const { folder, outcome } = await committedWith(
    'pre-commit',
    'echo "-- tidy" >> kb/a.sql; git add kb/a.sql',
  )
  expect(outcome).toMatchObject({
    kind: 'committed',
    warning: 'a hook changed kb/a.sql: what is committed was not verified as it is',
  })
  expect(status(folder)).toBe('')
  expect(git(folder, 'show', 'HEAD:kb/a.sql')).toBe('a2\n-- tidy\n')
})

it.each([
  ['post-commit', 'git reset --quiet --hard HEAD~1'],
  ['pre-commit', 'git commit --quiet --allow-empty --no-verify -m other'],
])('a %s hook that moves the branch is a refusal: %s', async (name, script) => {
  const { outcome } = await committedWith(name, script)
  expect(outcome.kind).toBe('refused')
})

it('says nothing where hooks only check', async () => {
  const { outcome } = await committedWith('pre-commit', 'exit 0')
  expect(outcome).not.toHaveProperty('warning')
})
