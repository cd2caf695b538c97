import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { commitRepair } from '../../src/git/commit.js'
import { scratchFolder } from '../edit/folder-tree.js'
import { needsSubmodules } from '../needs.js'
import { foreignGit, git, hook, isolatedFolders, repository, submodule, write } from './repository.js'

const made = isolatedFolders()

/** A repository with one repaired file. */
function repaired(): string {
  const folder = made(repository())
  write(folder, 'kb/a.sql', 'a2\n')
  return folder
}

function commit(folder: string, ...paths: string[]) {
  return commitRepair(folder, {
    paths: paths.length === 0 ? ['kb/a.sql'] : paths,
    subject: 'dau lost its\ntime-zone filter',
    body: 'Every expected query filters tz_type.',
    trailers: {
      Run: 'r-7f3a',
      'Cases-Fixed': 'dau_id_monthly',
      Grade: 'E1',
      Evidence: 'target 1/1',
      Cost: '0 LLM calls',
    },
  })
}

function committedFiles(folder: string): string[] {
  return git(folder, 'show', '--name-only', '-z', '--format=', 'HEAD').split('\0').filter(Boolean)
}

function commits(folder: string): number {
  return Number(git(folder, 'rev-list', '--count', 'HEAD'))
}

it('the commit has the repaired file only, one subject line, and trailers that git reads', async () => {
  const folder = repaired()
  write(folder, 'kb/b.sql', 'mine\n')
  const outcome = await commit(folder)
  expect(outcome).toEqual({ kind: 'committed', hash: git(folder, 'rev-parse', 'HEAD').trim() })
  expect(committedFiles(folder)).toEqual(['kb/a.sql'])
  expect(git(folder, 'log', '-1', '--format=%s%n%an%n%(trailers)').trim().split('\n')).toEqual([
    'dau lost its time-zone filter',
    'Ana Lyst',
    'Run: r-7f3a',
    'Cases-Fixed: dau_id_monthly',
    'Grade: E1',
    'Evidence: target 1/1',
    'Cost: 0 LLM calls',
  ])
})

it("the user's staged files stay staged as they were", async () => {
  const folder = repaired()
  write(folder, 'kb/b.sql', 'staged\n')
  write(folder, 'kb/mine.sql', 'mine\n')
  git(folder, 'add', 'kb/b.sql', 'kb/mine.sql')
  write(folder, 'kb/b.sql', 'and more\n')
  await commit(folder)
  expect(git(folder, 'status', '--porcelain')).toBe('MM kb/b.sql\nA  kb/mine.sql\n')
  expect(git(folder, 'show', ':kb/b.sql')).toBe('staged\n')
})

it('a new file is committed', async () => {
  const folder = repaired()
  write(folder, 'kb/snippets/new.sql', 'n\n')
  expect(await commit(folder, 'kb/a.sql', 'kb/snippets/new.sql')).toMatchObject({ kind: 'committed' })
  expect(committedFiles(folder)).toEqual(['kb/a.sql', 'kb/snippets/new.sql'])
  expect(git(folder, 'status', '--porcelain')).toBe('')
})

it('a first commit in a new repository', async () => {
  const folder = made(scratchFolder('unborn'))
  git(folder, 'init', '--quiet')
  git(folder, 'config', 'user.name', 'A')
  git(folder, 'config', 'user.email', 'a@example.com')
  write(folder, 'kb/a.sql', 'a\n')
  write(folder, 'kb/b.sql', 'b\n')
  expect(await commit(folder)).toMatchObject({ kind: 'committed' })
  expect(git(folder, 'status', '--porcelain')).toBe('?? kb/b.sql\n')
})

it('spaces, accents, quotes, leading dashes and pattern characters in names are taken literally', async () => {
  const names = ['kb/my file.sql', 'kb/métriques "x".sql', '-rf.sql', 'kb/[ab].sql', ':(top)x.sql']
  const folder = made(repository(Object.fromEntries([...names, 'kb/a.sql'].map((name) => [name, '1\n']))))
  for (const name of [...names, 'kb/a.sql']) write(folder, name, '2\n')
  expect(await commit(folder, ...names)).toMatchObject({ kind: 'committed' })
  expect(committedFiles(folder).sort()).toEqual([...names].sort())
})

it('paths are relative to the project, which may lie below the top of the repository', async () => {
  const top = made(repository({ 'project/kb/a.sql': '1', 'kb/a.sql': '1' }))
  write(top, 'project/kb/a.sql', '2')
  write(top, 'project/kb/new.sql', 'n')
  write(top, 'kb/a.sql', '2')
  expect(await commit(join(top, 'project'), 'kb/a.sql', 'kb/new.sql')).toMatchObject({ kind: 'committed' })
  expect(git(top, 'status', '--porcelain')).toBe(' M kb/a.sql\n')
})

it(
  'a linked working tree and a submodule are committed in, each in its own history',
  needsSubmodules,
  async () => {
    const folder = made(repository())
    const tree = join(folder, 'tree')
    git(folder, 'worktree', 'add', '--quiet', '-b', 'side', tree)
    write(tree, 'kb/a.sql', 'a2\n')
    expect(await commit(tree)).toMatchObject({ kind: 'committed' })
    expect([commits(folder), commits(tree)]).toEqual([1, 2])

    git(
      folder,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      made(repository()),
      'module',
    )
    const submodule = join(folder, 'module')
    git(submodule, 'config', 'user.name', 'A')
    git(submodule, 'config', 'user.email', 'a@example.com')
    write(submodule, 'kb/a.sql', 'a2\n')
    expect(await commit(submodule)).toMatchObject({ kind: 'committed' })
    expect([commits(folder), commits(submodule)]).toEqual([1, 2])
  },
)

it(
  'what is in a submodule or another repository below is refused, with where to commit it',
  needsSubmodules,
  async () => {
    const folder = made(repository({ 'p/a.txt': 'a\n' }))
    submodule(folder, 'p/kb', made(repository({ 'a.sql': 'a1\n' })))
    write(folder, 'p/kb/a.sql', 'a2\n')
    expect(await commit(join(folder, 'p'))).toEqual({
      kind: 'refused',
      reason: 'kb/a.sql is in the submodule kb',
      hint: 'Commit it there: git -C kb commit --all, then its new state here: git commit kb.',
    })
    git(folder, 'init', '--quiet', 'own')
    write(folder, 'own/new/a.sql', 'a\n')
    expect(await commit(folder, 'own/new/a.sql')).toMatchObject({
      kind: 'refused',
      reason: 'own/new/a.sql is in another git repository, own',
      hint: 'Commit it there: git -C own commit --all.',
    })
  },
)

it("another user's repository is refused with git's remedy", async () => {
  const folder = repaired()
  vi.stubEnv('PATH', foreignGit(made))
  expect(await commit(folder)).toEqual({
    kind: 'refused',
    reason: 'the git repository belongs to another user',
    hint: `Allow git to read it: git config --global --add safe.directory ${folder}`,
  })
})

it('a detached head is committed on, with a warning', async () => {
  const folder = repaired()
  git(folder, 'checkout', '--quiet', '--detach')
  expect(await commit(folder)).toMatchObject({
    kind: 'committed',
    warning: expect.stringContaining('detached'),
  })
})

it('a failing hook commits nothing, keeps the edits, unstages new files and is quoted', async () => {
  const folder = repaired()
  write(folder, 'kb/new.sql', 'n\n')
  hook(
    folder,
    'pre-commit',
    `for i in 1 2 3 4 5 6; do echo "line $i"; done; printf '\\033[31mno tabs\\033[0m\\n' >&2; exit 1`,
  )
  expect(await commit(folder, 'kb/a.sql', 'kb/new.sql')).toEqual({
    kind: 'refused',
    reason: 'a commit hook (pre-commit) failed: line 3\nline 4\nline 5\nline 6\nno tabs',
    hint: expect.stringContaining('stay in the working tree'),
  })
  expect(commits(folder)).toBe(1)
  expect(git(folder, 'status', '--porcelain')).toBe(' M kb/a.sql\n?? kb/new.sql\n')
})

it('a hook that fails without a word is a refusal, too', async () => {
  const folder = repaired()
  hook(folder, 'pre-commit', 'exit 1')
  expect(await commit(folder)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('without output'),
  })
})

it("the user's hooks run, as they would for the user", async () => {
  const folder = repaired()
  hook(folder, 'commit-msg', 'echo "Reviewed-by: hook" >> "$1"')
  hook(folder, 'pre-commit', 'git ls-files --exclude-stan > others && env | grep ^GIT_LITERAL > seen; true')
  await commit(folder)
  expect(git(folder, 'log', '-1', '--format=%b')).toContain('Reviewed-by: hook')
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('')
})

it('an index.lock is reported and not deleted', async () => {
  const folder = repaired()
  const lock = join(folder, '.git/index.lock')
  writeFileSync(lock, '')
  expect(await commit(folder)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('index.lock'),
  })
  expect(existsSync(lock)).toBe(true)
})

it('without an identity the two commands that set it are named', async () => {
  const folder = repaired()
  git(folder, 'config', '--remove-section', 'user')
  git(folder, 'config', 'user.useConfigOnly', 'true')
  expect(await commit(folder)).toMatchObject({
    kind: 'refused',
    hint: expect.stringMatching(/git config user\.name .*git config user\.email/),
  })
})

it('an ignored file is named', async () => {
  const folder = repaired()
  write(folder, '.gitignore', 'kb/gen*\n')
  write(folder, 'kb/genüge.sql', 'x\n')
  expect(await commit(folder, 'kb/a.sql', 'kb/genüge.sql')).toMatchObject({
    kind: 'refused',
    reason: 'git ignores kb/genüge.sql',
  })
  expect(commits(folder)).toBe(1)
})

it('during a merge nothing is committed', async () => {
  const folder = repaired()
  write(folder, '.git/MERGE_HEAD', git(folder, 'rev-parse', 'HEAD'))
  expect(await commit(folder)).toMatchObject({ kind: 'refused', reason: 'a merge is in progress' })
})

it('a file with staged changes of the user is refused: they would be committed, too', async () => {
  const folder = repaired()
  git(folder, 'add', 'kb/a.sql')
  write(folder, 'kb/a.sql', 'a3\n')
  expect(await commit(folder)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('kb/a.sql has staged'),
  })
  expect(git(folder, 'status', '--porcelain')).toBe('MM kb/a.sql\n')
})

it('files without a change are refused', async () => {
  expect(await commit(made(repository()))).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('unchanged since the last commit'),
  })
})

it('outside a repository it is refused', async () => {
  const folder = made(scratchFolder('plain'))
  mkdirSync(join(folder, 'kb'))
  expect(await commit(folder)).toMatchObject({ kind: 'refused', reason: 'not a git repository' })
})

it('settings of the user do not bend the message or open an editor', async () => {
  const folder = repaired()
  git(folder, 'config', 'commit.cleanup', 'strip')
  git(folder, 'config', 'commit.verbose', 'true')
  git(folder, 'config', 'core.editor', 'false')
  vi.stubEnv('GIT_EDITOR', 'false')
  const outcome = await commitRepair(folder, {
    paths: ['kb/a.sql'],
    subject: '#1 alias',
    body: '',
    trailers: { Run: 'r-1' },
  })
  expect(outcome).toMatchObject({ kind: 'committed' })
  expect(git(folder, 'log', '-1', '--format=%B').trim()).toBe('# 1 alias\n\nRun: r-1')
})

it('a message longer than the arguments of a program may be is committed, cut', async () => {
  const folder = repaired()
  const outcome = await commitRepair(folder, {
    paths: ['kb/a.sql'],
    subject: 'alias [skip ci]',
    body: `it fixes #1\n${'because '.repeat(40_000)}`,
    trailers: { Run: 'r-1' },
  })
  expect(outcome).toMatchObject({ kind: 'committed' })
  const message = git(folder, 'log', '-1', '--format=%B').trim()
  expect(message).toMatch(/^alias \[ skip ci \]\n\n> it fixes # 1\n> because [\s\S]*…\n\nRun: r-1$/)
  expect(message.length).toBeLessThan(9000)
})

it('a hook that hangs is ended, and the edit stays in the working tree', async () => {
  const folder = repaired()
  hook(folder, 'pre-commit', 'sleep 300 >/dev/null 2>&1')
  const head = git(folder, 'rev-parse', 'HEAD')
  const started = performance.now()
  const request = { paths: ['kb/a.sql'], subject: 'alias', body: '', trailers: { Run: 'r-1' } }
  const outcome = await commitRepair(folder, request, 1500)
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: expect.stringMatching(/hook \(pre-commit\) failed: it said nothing for 1\.5 s/),
  })
  expect(performance.now() - started).toBeLessThan(60_000)
  expect(git(folder, 'rev-parse', 'HEAD')).toBe(head)
  expect(existsSync(join(folder, '.git/index.lock'))).toBe(false)
  expect(git(folder, 'status', '--porcelain')).toContain('kb/a.sql')
})
