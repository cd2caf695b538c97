import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsSubmodules } from '../needs.js'
import { autotest, removeFolders, scratchFolder } from './sample.js'
import {
  benchmarkPath,
  drifted,
  gitRepository,
  read,
  smallProject,
  snippetPath,
  userFiles,
  write,
} from './small-project.js'

afterAll(removeFolders)

type Git = ReturnType<typeof gitRepository>

interface Row {
  readonly name: string
  /** Files of the project besides those of the small one. */
  readonly files?: Readonly<Record<string, string>>
  /** Takes files out of the working tree; returns another project if that is a clone. */
  readonly hide: (git: Git, dir: string) => string | undefined
  readonly code: number
  /** What the output says of the path. */
  readonly says: string
  /** The command that is printed, and puts everything on disk. */
  readonly command: string
  /** Rows of the summary. */
  readonly summary?: string
  /** Whether the command can be run here. */
  readonly offline?: false
}

const inSparse = 'is in git, but not checked out (sparse checkout)'
const module =
  'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: module, path: agents/mine.mjs }\n'

function remove(git: Git, dir: string, path: string, mark: string): undefined {
  git('update-index', mark, path)
  rmSync(join(dir, path))
}

function patterns(...all: string[]): (git: Git) => undefined {
  return (git) => {
    git('sparse-checkout', 'set', '--no-cone', '/*', ...all)
  }
}

/** A clone without the blobs of the snippets, whose remote is gone. */
function partialClone(git: Git, dir: string): string {
  git('config', 'uploadpack.allowFilter', 'true')
  git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const clone = join(scratchFolder(), 'clone')
  const run = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  run(dir, 'clone', '--quiet', '--filter=blob:none', '--sparse', `file://${dir}`, clone)
  run(clone, 'sparse-checkout', 'set', 'benchmarks', 'kb/metrics')
  run(clone, 'config', 'user.name', 'Tester')
  run(clone, 'config', 'user.email', 'tester@example.com')
  rmSync(join(dir, '.git'), { recursive: true })
  return clone
}

const isSubmodule = (name: string): boolean => name.includes('submodule')

const rows: readonly Row[] = [
  {
    name: 'a snippet outside the patterns of a sparse checkout',
    hide: patterns('!/kb/snippets'),
    code: 2,
    says: `kb/snippets/gmv.sql, kb/snippets/orders.sql are ${inSparse.slice(3)}`,
    command: 'git sparse-checkout add /kb/snippets/',
    summary: 'skipped=3',
  },
  {
    name: 'one of the snippets',
    hide: patterns('!/kb/snippets/gmv.sql'),
    code: 2,
    says: `${snippetPath} ${inSparse}`,
    command: 'git sparse-checkout add /kb/snippets/gmv.sql',
    summary: 'passed=1 repaired=0 failed=0 unproven=0 errored=0 skipped=2',
  },
  {
    name: 'a folder outside the cone',
    hide: (git) => void git('sparse-checkout', 'set', '--cone', 'benchmarks', 'kb/metrics'),
    code: 2,
    says: inSparse.slice(3),
    command: 'git sparse-checkout add kb/snippets',
    summary: 'skipped=3',
  },
  {
    name: 'a folder of a sparse index',
    hide: (git) => void git('sparse-checkout', 'set', '--cone', '--sparse-index', 'benchmarks', 'kb/metrics'),
    code: 2,
    says: inSparse.slice(3),
    command: 'git sparse-checkout add kb/snippets',
    summary: 'skipped=3',
  },
  {
    name: 'a metric',
    hide: patterns('!/kb/metrics/gmv.yaml'),
    code: 2,
    says: `kb/metrics/gmv.yaml ${inSparse}`,
    command: 'git sparse-checkout add /kb/metrics/gmv.yaml',
    summary: 'passed=1 repaired=0 failed=0 unproven=0 errored=0 skipped=2',
  },
  {
    name: 'the knowledge base',
    hide: patterns('!/kb'),
    code: 2,
    says: 'the knowledge base kb is not there',
    command: 'git sparse-checkout add /kb/',
  },
  {
    name: 'a benchmark file beside another',
    files: {
      'benchmarks/more.yaml':
        "cases:\n  - { id: vn, question: VN orders in November 2025, expected_sql: \"SELECT count(*) AS orders FROM orders WHERE market = 'VN' AND day BETWEEN '2025-11-01' AND '2025-11-30'\" }\n",
    },
    hide: patterns('!/benchmarks/more.yaml'),
    code: 2,
    says: `SKIPPED vn: not evaluated: benchmarks/more.yaml ${inSparse}`,
    command: 'git sparse-checkout add /benchmarks/more.yaml',
    summary: 'total=4 passed=3 repaired=0 failed=0 unproven=0 errored=0 skipped=1',
  },
  {
    name: 'the whole benchmark',
    hide: patterns('!/benchmarks'),
    code: 2,
    says: `${benchmarkPath} ${inSparse}`,
    command: 'git sparse-checkout add /benchmarks/',
  },
  {
    name: 'the database',
    hide: patterns('!/shop.sqlite'),
    code: 3,
    says: `database not found: shop.sqlite: shop.sqlite ${inSparse}`,
    command: 'git sparse-checkout add /shop.sqlite',
  },
  {
    name: 'the script of the database',
    files: {
      'autotest.config.yaml': 'engine: sqlite:data/other.sqlite\nfixture: data/shop.sql\nas_of: 2025-12-31\n',
      'data/shop.sql': 'CREATE TABLE orders (id INTEGER, market TEXT, day TEXT, amount REAL, status TEXT);\n',
    },
    hide: patterns('!/data'),
    code: 3,
    says: `fixture not found: data/shop.sql: data/shop.sql ${inSparse}`,
    command: 'git sparse-checkout add /data/',
  },
  {
    name: 'the agent',
    files: {
      'autotest.config.yaml': module,
      'agents/mine.mjs': 'export default () => ({ type: "no_answer", message: "none" })\n',
    },
    hide: patterns('!/agents'),
    code: 2,
    says: `the agent cannot be started: agents/mine.mjs ${inSparse}`,
    command: 'git sparse-checkout add /agents/',
  },
  {
    name: 'a snippet, where what the agent would answer with it is not known',
    files: {
      'autotest.config.yaml': module,
      'agents/mine.mjs': 'export default () => ({ type: "no_answer", message: "none" })\n',
    },
    hide: patterns('!/kb/snippets'),
    code: 2,
    says: `not evaluated: kb/snippets/gmv.sql, kb/snippets/orders.sql are ${inSparse.slice(3)}`,
    command: 'git sparse-checkout add /kb/snippets/',
    summary: 'skipped=3',
  },
  {
    name: 'a file marked skip-worktree',
    hide: (git, dir) => remove(git, dir, snippetPath, '--skip-worktree'),
    code: 2,
    says: `${snippetPath} is in git, but not on disk (marked skip-worktree)`,
    command: `git update-index --no-skip-worktree ${snippetPath} && git checkout -- ${snippetPath}`,
    summary: 'skipped=2',
  },
  {
    name: 'a file marked assume-unchanged',
    hide: (git, dir) => remove(git, dir, snippetPath, '--assume-unchanged'),
    code: 2,
    says: `${snippetPath} is in git, but not on disk (marked assume-unchanged)`,
    command: `git update-index --no-assume-unchanged ${snippetPath} && git checkout -- ${snippetPath}`,
    summary: 'skipped=2',
  },
  {
    name: 'a folder of a partial clone, whose blobs are elsewhere',
    hide: partialClone,
    code: 2,
    says: inSparse.slice(3),
    command: 'git sparse-checkout add kb/snippets',
    summary: 'skipped=3',
    offline: false,
  },
  {
    name: 'a submodule that is not initialised',
    hide(git, dir) {
      const other = scratchFolder()
      write(other, 'snippets/gmv.sql', read(dir, snippetPath))
      gitRepository(other)
      git('rm', '--quiet', '-r', 'kb/snippets')
      git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'kb/snippets')
      git('commit', '--quiet', '--message=submodule')
      git('submodule', '--quiet', 'deinit', '--force', 'kb/snippets')
      return undefined
    },
    code: 2,
    says: 'kb/snippets is in a submodule that is not initialised',
    command: 'git submodule update --init kb/snippets',
    summary: 'skipped=3',
    offline: false,
  },
]

describe('--yes, where git has files that the disk has not', () => {
  it.each(rows.filter(({ name }) => !isSubmodule(name)))(
    '$name: nothing is written, and the command is said',
    nothingIsWritten,
  )

  it.each(rows.filter(({ name }) => isSubmodule(name)))(
    '$name: nothing is written, and the command is said',
    needsSubmodules,
    nothingIsWritten,
  )

  async function nothingIsWritten(row: Row): Promise<void> {
    const first = smallProject(row.files)
    const dir = row.hide(gitRepository(first), first) ?? first
    const git: Git = (...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' })
    const [before, head, marks] = [userFiles(dir), git('rev-parse', 'HEAD'), git('ls-files', '-v')]
    const { code, out, err } = await autotest(dir, ['--yes'])
    const text = `${out}${err}`
    expect(text).toContain(row.says)
    expect(text).toContain(row.command)
    if (row.summary !== undefined) expect(out).toContain(row.summary)
    expect(code).toBe(row.code)
    expect(userFiles(dir)).toEqual(before)
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('ls-files', '-v')]).toEqual([
      head,
      '',
      marks,
    ])
    if (row.offline === false) return
    execFileSync('sh', ['-c', row.command], { cwd: dir, stdio: 'ignore' })
    const again = await autotest(dir, ['--no-repair'])
    expect(again.err).not.toContain('warning')
    expect(again.out).not.toContain('SKIPPED')
  }

  it('says the same in kb check and doctor, and does not advise to create the file', async () => {
    const dir = smallProject()
    patterns('!/kb/snippets/gmv.sql')(gitRepository(dir))
    const check = await autotest(dir, ['kb', 'check'])
    expect(check.out).toContain(inSparse)
    expect(check.out).toContain('git sparse-checkout add /kb/snippets/gmv.sql')
    expect(check.out).not.toContain('Create')
    expect(check.code).toBe(1)
    const doctor = await autotest(dir, ['doctor'])
    expect(doctor.out).toContain('git sparse-checkout add /kb/snippets/gmv.sql')
    expect(doctor.code).toBe(2)
  })

  it('repairs what is there, and passes what does not need the rest', async () => {
    const dir = smallProject(drifted)
    const git = gitRepository(dir)
    patterns('!/kb/snippets/orders.sql')(git)
    const { code, out } = await autotest(dir, ['--yes', '--tags', 'gmv'])
    expect(out).toContain('Committed')
    expect(code).toBe(0)
    expect(git('show', '--name-only', '--format=').trim()).toBe(snippetPath)
    expect(existsSync(join(dir, 'kb/snippets/orders.sql'))).toBe(false)
  })

  it.each(['--skip-worktree', '--assume-unchanged'])(
    'leaves a file marked %s that is on disk to the user',
    async (mark) => {
      const dir = smallProject(drifted)
      const git = gitRepository(dir)
      git('update-index', mark, snippetPath)
      const before = userFiles(dir)
      const { code, out, err } = await autotest(dir, ['--yes'])
      expect(`${out}${err}`).toContain(`${snippetPath} is marked ${mark.slice(2)}`)
      expect(code).toBe(1)
      expect(userFiles(dir)).toEqual(before)
      const dirty = await autotest(dir, ['--yes', '--allow-dirty'])
      expect(dirty.out).toContain(`Not committed: ${snippetPath} is marked ${mark.slice(2)}`)
      expect(dirty.out).toContain(`git update-index --no-${mark.slice(2)} ${snippetPath}`)
      expect(dirty.code).toBe(1)
    },
  )
})

describe('a pointer in place of a file', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 1234\n`
  it.each([
    { path: snippetPath, code: 2 },
    { path: 'kb/metrics/gmv.yaml', code: 2 },
    { path: benchmarkPath, code: 2 },
    { path: 'shop.sqlite', code: 3 },
  ])('$path: nothing is written, and the command is said', async ({ path, code: expected }) => {
    const dir = smallProject()
    write(dir, path, pointer)
    const git = gitRepository(dir)
    const before = userFiles(dir)
    const { code, out, err } = await autotest(dir, ['--yes'])
    expect(`${out}${err}`).toContain('a Git LFS pointer')
    expect(`${out}${err}`).toContain(`git lfs pull --include=${path}`)
    expect(code).toBe(expected)
    expect(userFiles(dir)).toEqual(before)
    expect([git('status', '--porcelain'), git('log', '--oneline').trim().split('\n').length]).toEqual(['', 1])
  })
})

describe('a moved file is not restored where it was', () => {
  const parts = { metric: 'kb/metrics/gmv.yaml', moved: 'kb/metrics/core/gmv.yaml' }

  it.each(['staged', 'committed'])('a metric whose move is %s, and that lost its words', async (state) => {
    const dir = smallProject()
    const git = gitRepository(dir)
    write(dir, 'kb/metrics/core/.gitkeep', '')
    git('mv', parts.metric, parts.moved)
    if (state === 'committed') git('commit', '--quiet', '--message=Move')
    write(dir, parts.moved, read(dir, parts.moved).replace('metric: gmv', 'metric: turnover'))
    write(dir, parts.moved, read(dir, parts.moved).replace('aliases: [GMV]', 'aliases: [turnover]'))
    if (state === 'committed') git('commit', '--quiet', '--all', '--message=tidy')
    await autotest(dir, ['--yes'])
    expect(existsSync(join(dir, parts.metric))).toBe(false)
  })

  it('a snippet and its metric', async () => {
    const dir = smallProject(drifted)
    const git = gitRepository(dir)
    write(dir, 'kb/snippets/core/.gitkeep', '')
    git('mv', snippetPath, 'kb/snippets/core/gmv.sql')
    write(dir, parts.metric, read(dir, parts.metric).replace('gmv.sql', 'core/gmv.sql'))
    git('commit', '--quiet', '--all', '--message=Move')
    const { code } = await autotest(dir, ['--yes'])
    expect(git('show', '--name-only', '--format=').trim()).toBe('kb/snippets/core/gmv.sql')
    expect([code, existsSync(join(dir, snippetPath))]).toEqual([0, false])
  })
})
