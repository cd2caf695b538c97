import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { autotest, autotestProcess, removeFolders } from './sample.js'
import {
  append,
  drifted,
  driftedSnippet,
  gitRepository,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterEach(removeFolders)

const ordersPath = 'kb/snippets/orders.sql'

/** Kills the program that started git. */
const killer = `#!/bin/sh
while read -r key value; do [ "$key" = PPid: ] && kill -9 "$value"; done < /proc/$PPID/status
`

/** A project whose run was killed after the first of its two commits. */
async function killedBetweenCommits() {
  const dir = smallProject()
  const git = gitRepository(dir)
  write(dir, snippetPath, driftedSnippet)
  write(dir, ordersPath, read(dir, ordersPath).replace('count(*)', 'sum(id)'))
  git('commit', '--quiet', '--all', '--message=tidy up')
  const hook = join(dir, '.git/hooks/post-commit')
  write(dir, '.git/hooks/post-commit', killer)
  chmodSync(hook, 0o755)
  const { code } = await autotestProcess(dir, ['--yes'])
  rmSync(hook)
  expect(code).toBe(null)
  expect(git('status', '--short').trim().split('\n')).toHaveLength(1)
  return { dir, git, left: git('diff', '--name-only').trim() }
}

it.skipIf(process.platform !== 'linux')(
  'the next --yes makes the commits that a run was killed before',
  async () => {
    const { dir, git } = await killedBetweenCommits()
    const { code, out, err } = await autotest(dir, ['--yes'])
    expect(out + err).toMatch(/run r-\w+ ended before it had committed a repair: committed now/)
    expect([code, git('status', '--short'), git('log', '--format=%s').trim().split('\n').length]).toEqual([
      0,
      '',
      4,
    ])
    expect((await autotest(dir, ['--yes'])).out).not.toContain('committed now')
  },
)

it.skipIf(process.platform !== 'linux')(
  'what somebody has changed since is not committed, and without --yes nothing is',
  async () => {
    const { dir, git, left } = await killedBetweenCommits()
    await autotest(dir, [])
    expect(git('status', '--short')).toContain(left)
    append(dir, left, '-- mine\n')
    await autotest(dir, ['--yes'])
    expect(git('status', '--short')).toContain(left)
    expect(drifted[left] === read(dir, left)).toBe(false)
  },
)
