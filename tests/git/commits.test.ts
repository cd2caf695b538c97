import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { commitsAfter, commitsOf, lastChangeOfLines, maxLaterCommits } from '../../src/git/commits.js'
import { historyGap } from '../../src/git/history-gap.js'
import { scratchFolder } from '../edit/folder-tree.js'
import { gitOf2018 } from './git-wrapper.js'
import { git, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

function commit(folder: string, message: string, env: Record<string, string> = {}): string {
  git(folder, 'add', '--all')
  execFileSync('git', ['commit', '--quiet', '--allow-empty-message', '--cleanup=verbatim', '--file=-'], {
    cwd: folder,
    input: message,
    env: { ...process.env, ...env },
  })
  return `commit ${git(folder, 'rev-parse', '--short', 'HEAD').trim()}`
}

const dated = (date: string) => ({ GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date })

const messages: readonly (readonly [string, string, object])[] = [
  [
    'of a repair',
    'gmv: filter was missing\n\nWhy: x\n\nRun: r-1\nCases-Fixed: a,\n  b\n',
    { subject: 'gmv: filter was missing', body: 'Why: x', trailers: ['Run', 'Cases-Fixed'] },
  ],
  ['that is empty', '', { subject: '', body: '', trailers: [] }],
  [
    'with the characters that could separate fields',
    'all\u001e\u001forders\n\nsee \u001e%x00 \u001f\n',
    { subject: 'all\u001e\u001forders', body: 'see \u001e%x00 \u001f', trailers: [] },
  ],
  [
    'of a megabyte',
    `all orders\n\n${'so be it '.repeat(120_000)}`,
    { subject: 'all orders', body: 'so be it '.repeat(120_000).trim(), trailers: [] },
  ],
]

it.each(['as it is', 'of 2018'])('commits are read by a git %s', async (which) => {
  const folder = made(repository())
  const name = 'kb/new\n\tline "ß".sql'
  for (const [at, [what, message, expected]] of messages.entries()) {
    write(folder, name, `${at}\n`)
    const by = commit(folder, message, dated('@0 +0000'))
    if (which === 'of 2018') vi.stubEnv('PATH', gitOf2018(made(scratchFolder('old'))))
    const [found] = await commitsOf(folder, by)
    expect(found, what).toEqual({ by, date: '1970-01-01', paths: [name], ...expected })
    expect(await historyGap(folder, 'kb')).toBeUndefined()
  }
})

it('what git refuses to tell is told at the head of a run', async () => {
  const folder = made(repository())
  const bin = made(scratchFolder('odd'))
  gitOf2018(bin)
  const program = readFileSync(`${bin}/git`, 'utf8')
  writeFileSync(`${bin}/git`, program.replace('%as', '%(trailers:only'))
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  expect(await historyGap(folder, 'kb')).toMatchObject({
    kind: 'unreadable',
    reason: expect.stringContaining('unrecognized argument: --format='),
  })
})

it('the last change of lines is the last by descent, whatever the dates say', async () => {
  const folder = made(repository({ 'b.yaml': 'a\nb\n' }))
  write(folder, 'b.yaml', 'a1\nb\n')
  commit(folder, 'future', dated('@4070908800 +0000'))
  write(folder, 'b.yaml', 'a1\nb1\n')
  commit(folder, 'past', dated('@0 +0000'))
  expect(await lastChangeOfLines(folder, 'b.yaml', 1, 2)).toMatchObject({ subject: 'past' })
})

it('later commits are read to a limit, and that there are more is known', async () => {
  const folder = made(repository())
  const by = `commit ${git(folder, 'rev-parse', '--short', 'HEAD').trim()}`
  const add = (count: number): void => {
    const from = `from ${git(folder, 'rev-parse', 'HEAD')}`
    const input = Array.from(
      { length: count },
      (_, at) =>
        `commit refs/heads/main\ncommitter T <t@example.com> 0 +0000\ndata 1\nx\n${at === 0 ? from : ''}\n`,
    ).join('')
    execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input })
  }
  add(maxLaterCommits)
  const all = await commitsAfter(folder, by)
  expect([all.commits.length, all.isCut]).toEqual([maxLaterCommits, false])
  add(1)
  const cut = await commitsAfter(folder, by)
  expect([cut.commits.length, cut.isCut]).toEqual([maxLaterCommits, true])
})
