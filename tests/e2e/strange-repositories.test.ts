import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { gitOf2018 } from '../git/git-wrapper.js'
import { autotest, removeFolders, scratchFolder } from './sample.js'
import {
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

const isolated = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

function gitIn(dir: string, env: Record<string, string> = {}) {
  return (args: readonly string[], input?: string | Uint8Array): string =>
    execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      input,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...isolated, ...env },
    })
}

/** A project whose second commit took the filter out of the snippet, with this message. */
function driftedBy(message: string | Uint8Array, env: Record<string, string> = {}): string {
  const dir = smallProject()
  gitRepository(dir)
  commitDrift(dir, message, env)
  return dir
}

function commitDrift(dir: string, message: string | Uint8Array, env: Record<string, string> = {}): void {
  write(dir, snippetPath, driftedSnippet)
  gitIn(dir, env)(
    ['commit', '--quiet', '--all', '--allow-empty-message', '--cleanup=verbatim', '--file=-'],
    message,
  )
}

/** Runs `autotest --yes`; whatever it does, it leaves index and repository whole, and shows no stack. */
async function repair(dir: string, env: Record<string, string> = {}) {
  const { code, out, err } = await autotest(dir, ['--yes', '--reporter', 'console'], { ...isolated, ...env })
  const said = `${out}${err}`.replaceAll(/\s+/gu, ' ')
  expect(said).not.toMatch(/\bat \S+ \(.*:\d+:\d+\)|TypeError|RangeError|undefined/u)
  return { code, said }
}

function expectWhole(dir: string): void {
  const git = gitIn(dir)
  expect(git(['diff', '--cached', '--name-only'])).toBe('')
  expect(existsSync(join(dir, '.git/index.lock'))).toBe(false)
  expect(git(['fsck', '--strict', '--no-dangling', '--no-progress'])).toBe('')
}

describe('a repair is committed, and nothing else', () => {
  it.each<[string, () => string]>([
    [
      'on a detached HEAD',
      () => {
        const dir = driftedBy('wip')
        gitIn(dir)(['checkout', '--quiet', '--detach'])
        return dir
      },
    ],
    [
      'in a history of two roots',
      () => {
        const dir = driftedBy('wip')
        const git = gitIn(dir)
        git(['checkout', '--quiet', '--orphan', 'other'])
        git(['rm', '--quiet', '-r', '--force', '.'])
        write(dir, 'OTHER.md', 'other\n')
        git(['add', 'OTHER.md'])
        git(['commit', '--quiet', '--message=other root'])
        git(['checkout', '--quiet', 'main'])
        git(['merge', '--quiet', '--allow-unrelated-histories', '--message=join', 'other'])
        return dir
      },
    ],
    [
      'where the commit of the change is replaced',
      () => {
        const dir = driftedBy('GMV: cancelled orders count too, finance wants them')
        const git = gitIn(dir)
        const text = git(['cat-file', 'commit', 'HEAD']).replace(/GMV: .*/su, 'wip\n')
        const other = git(['hash-object', '-t', 'commit', '-w', '--stdin'], text).trim()
        git(['replace', git(['rev-parse', 'HEAD']).trim(), other])
        return dir
      },
    ],
    ['whose commits are from the year 2099', () => driftedBy('wip', datesOf('@4070908800 +0000'))],
    ['whose commits are from 1970', () => driftedBy('wip', datesOf('@0 +0000'))],
    ['with an empty message', () => driftedBy('')],
    ['by an author without a name', () => withAuthor('')],
    [
      'in a working tree of `git worktree`',
      () => {
        const dir = driftedBy('wip')
        const other = join(scratchFolder(), 'tree')
        gitIn(dir)(['worktree', 'add', '--quiet', other])
        cpSync(join(dir, 'shop.sqlite'), join(other, 'shop.sqlite'))
        return other
      },
    ],
    [
      'where .git is a file',
      () => {
        const dir = driftedBy('wip')
        const away = join(scratchFolder(), 'repository')
        cpSync(join(dir, '.git'), away, { recursive: true })
        rmSync(join(dir, '.git'), { recursive: true })
        write(dir, '.git', `gitdir: ${away}\n`)
        return dir
      },
    ],
    ['with a message in one word of Chinese', () => driftedBy('修复')],
  ])('%s', async (_what, make) => {
    const dir = make()
    const head = gitIn(dir)(['rev-parse', 'HEAD']).trim()
    const { code, said } = await repair(dir)
    expect([code, read(dir, snippetPath)], said).toEqual([0, goodSnippet])
    expect(gitIn(dir)(['diff', '--name-only', head, 'HEAD']).trim()).toBe(snippetPath)
    expect(gitIn(dir)(['rev-list', '--count', `${head}..HEAD`]).trim()).toBe('1')
    expectWhole(dir)
  })

  it('by a git of 2018, which reads what people wrote as well', async () => {
    const path = gitOf2018(scratchFolder())
    const drift = driftedBy('wip')
    const { code, said } = await repair(drift, { PATH: path })
    expect([code, read(drift, snippetPath)], said).toEqual([0, goodSnippet])
    expectWhole(drift)
    const meant = driftedBy('GMV: cancelled orders count too, finance wants them')
    const held = await repair(meant, { PATH: path })
    expect([held.code, read(meant, snippetPath)]).toEqual([1, driftedSnippet])
    expect(held.said).toMatch(/changed by commit \w+ \(\d{4}-\d\d-\d\d\) "GMV: cancelled orders count too/u)
  })
})

describe('a message that cannot be read holds the repair, and says so', () => {
  it.each<[string, string | Uint8Array]>([
    ['Chinese', 'GMV：取消的订单也算，财务要求'],
    ['Russian', 'Учитывать отменённые заказы, так решили финансы'],
    ['German', 'Stornierte Aufträge zählen jetzt mit, wie mit der Buchhaltung besprochen'],
    ['German that is not UTF-8', Buffer.from('Stornierte Aufträge zählen jetzt mit', 'latin1')],
    ['Chinese that is not UTF-8', Buffer.from('c8a1cffbb5c4b6a9b5a5d2b2cbe3', 'hex')],
  ])('%s', async (_what, message) => {
    const dir = driftedBy(message)
    const head = gitIn(dir)(['rev-parse', 'HEAD'])
    const { code, said } = await repair(dir)
    expect([code, read(dir, snippetPath)], said).toEqual([1, driftedSnippet])
    expect(said).toContain('perhaps changed on purpose, in words that are not understood: commit')
    expect(said).toMatch(/autotest apply|--follow-benchmark/u)
    expect(gitIn(dir)(['rev-parse', 'HEAD'])).toBe(head)
    expectWhole(dir)
  })

  it('a megabyte of it is read, and shown in part', async () => {
    const dir = driftedBy(
      `GMV: cancelled orders count too, finance wants them ${'and so on '.repeat(100_000)}`,
    )
    const { code, said } = await repair(dir)
    expect([code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
    expect(said).toContain('GMV: cancelled orders count too')
    expect(said.length).toBeLessThan(20_000)
    expectWhole(dir)
  })
})

describe('what git cannot do is said', () => {
  it('a repository without a commit is left to its first one', async () => {
    const dir = smallProject({ [snippetPath]: driftedSnippet })
    const git = gitIn(dir)
    git(['init', '--quiet', '--initial-branch=main'])
    git(['config', 'user.name', 'Tester'])
    git(['config', 'user.email', 'tester@example.com'])
    write(dir, '.gitignore', 'reports/\n.autotest/\n')
    const { code, said } = await repair(dir)
    expect(said).toContain('Not committed: the git repository has no commit yet')
    expect([code, read(dir, snippetPath)], said).toEqual([1, goodSnippet])
    expect(git(['status', '--porcelain', '--branch'])).toContain('No commits yet')
    expectWhole(dir)
  })

  it('a bare repository has no working tree to commit from', async () => {
    const dir = driftedBy('wip')
    gitIn(dir)(['config', 'core.bare', 'true'])
    const { code, said } = await repair(dir)
    expect(said).toContain('Not committed: this operation must be run in a work tree')
    expect([code, read(dir, snippetPath)]).toEqual([1, goodSnippet])
    const bare = join(scratchFolder(), 'bare.git')
    gitIn(dir)(['clone', '--quiet', '--bare', dir, bare])
    const none = await repair(bare)
    expect(none.code).toBe(2)
    expect(none.said).toContain('is not a project: it has neither autotest.config.yaml nor benchmarks/')
    expect(gitIn(bare)(['fsck', '--no-dangling', '--no-progress'])).toBe('')
  })

  it('a .git file that names no repository', async () => {
    const dir = smallProject({ [snippetPath]: driftedSnippet })
    write(dir, '.git', 'gitdir: ../nowhere\n')
    const { code, said } = await repair(dir)
    expect(said).toMatch(/Not committed: /u)
    expect([code, read(dir, snippetPath)], said).toEqual([1, goodSnippet])
    expect(readFileSync(join(dir, '.git'), 'utf8')).toBe('gitdir: ../nowhere\n')
  })
})

describe('a history of 50,000 commits', () => {
  it('is read to a limit, which is said where something is repaired, and only there', async () => {
    const dir = driftedBy('wip')
    appendCommits(dir, 50_000)
    const { code, said } = await repair(dir)
    expect([code, read(dir, snippetPath)], said).toEqual([0, goodSnippet])
    const limit = /looked at the newest 5000 commits after commit \w+ only/gu
    expect(said.match(limit)).toHaveLength(1)
    expect(said).not.toContain('commits of kb')
    const green = await repair(dir)
    expect([green.code, green.said.match(limit)]).toEqual([0, null])
    expectWhole(dir)
  })

  it('of which 600 changed the knowledge', async () => {
    const dir = driftedBy('wip')
    appendCommits(dir, 600, 'kb/notes/log.md')
    const { code, said } = await repair(dir)
    expect([code, read(dir, snippetPath)], said).toEqual([0, goodSnippet])
    expect(said).toContain('looked at the newest 500 commits of kb only')
    expect((await repair(dir)).said).not.toContain('looked at')
  })
})

/** Adds commits that each write one file, quickly; the working tree is as the last one. */
function appendCommits(dir: string, count: number, path = 'log.txt'): void {
  const git = gitIn(dir)
  const head = git(['rev-parse', 'HEAD']).trim()
  const commits = Array.from({ length: count }, (_, at) => {
    const from = at === 0 ? `from ${head}\n` : ''
    const [message, text] = [`log ${at}`, `${at}\n`].map((each) => `data ${each.length}\n${each}\n`)
    return `commit refs/heads/main\ncommitter T <t@example.com> ${1_700_000_000 + at} +0000\n${message}${from}M 100644 inline ${path}\n${text}`
  })
  git(['fast-import', '--quiet', '--force'], commits.join(''))
  git(['reset', '--quiet', '--hard'])
}

function datesOf(date: string): Record<string, string> {
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
}

function withAuthor(name: string): string {
  const dir = driftedBy('wip')
  const git = gitIn(dir)
  const text = git(['cat-file', 'commit', 'HEAD']).replace(/^author .* </mu, `author ${name} <`)
  const hash = git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], text).trim()
  git(['update-ref', 'HEAD', hash])
  return dir
}
