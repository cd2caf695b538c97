import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openGit } from '../../src/git/git.js'
import { readFileSet } from '../../src/roles/copied-files.js'
import { judgeWrite } from '../../src/roles/may-write.js'
import { returnedFiles } from '../../src/roles/returned-files.js'
import { roleNamed } from '../../src/roles/role.js'

// Git takes a folder with HEAD, objects and refs for a repository and, in it, runs what its config names.

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function project(files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'autotest-bare-'))
  folders.push(root)
  write(root, { 'src/shop/a.ts': '', 'tests/unit/test_a.py': '', ...files })
  return root
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const judge = async (role: string, root: string, path: string): Promise<string> =>
  (await judgeWrite(roleNamed(role), { root, path }))?.kind ?? 'allow'

/** A repository whose config starts a program that leaves a mark; its parts have endings of sources where git allows it. */
const hostile = (folder: string, mark: string): Record<string, string> => ({
  [`${folder}/HEAD`]: 'ref: refs/heads/main\n',
  [`${folder}/config`]: `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${mark};:"\n`,
  [`${folder}/objects/x.ts`]: '',
  [`${folder}/refs/x.ts`]: '',
})

function orders<Each>(all: readonly Each[]): Each[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((first, at) =>
    orders([...all.slice(0, at), ...all.slice(at + 1)]).map((rest) => [first, ...rest]),
  )
}

describe('no role makes a folder a git repository', () => {
  it('git in such a folder runs what its config names', () => {
    const root = project()
    const mark = join(root, 'ran')
    write(root, hostile('src/sub', mark))
    execFileSync('git', ['status'], { cwd: join(root, 'src/sub'), stdio: 'ignore' })
    expect(existsSync(mark)).toBe(true)
  })

  it.each(['src/sub', 'src/shop', 'tests/unit', 'tests/unit/deep/er'])(
    'in whatever order its files are written: %s',
    async (folder) => {
      const role = folder.startsWith('src') ? 'coder' : 'test-writer'
      for (const order of orders(Object.entries(hostile(folder, '/dev/null')))) {
        const root = project()
        // A person who is asked about one of them may agree.
        for (const [path, text] of order)
          if ((await judge(role, root, path)) !== 'refuse') write(root, { [path]: text })
        const { status } = spawnSync('git', ['rev-parse', '--git-dir'], { cwd: join(root, folder) })
        expect([order.map(([path]) => path), status]).toEqual([order.map(([path]) => path), 128])
        expect(existsSync(join(root, folder, 'HEAD'))).toBe(false)
      }
    },
  )

  it.each(['HEAD', 'head', 'Head', 'HEAD/x.ts'])('in any letter case: %s', async (name) => {
    const root = project({ 'src/sub/objects/x.ts': '', 'src/sub/refs/x.ts': '' })
    expect(await judge('coder', root, `src/sub/${name}`)).toBe(name.includes('/') ? 'allow' : 'refuse')
  })

  it.each([
    ['src/sub/REFS/x.ts', { 'src/sub/Head': '', 'src/sub/Objects/x.ts': '' }],
    ['src/sub/objects/a/b/x.ts', { 'src/sub/HEAD': '', 'src/sub/refs/x.ts': '' }],
    ['src/sub/commondir', { 'src/sub/HEAD': '' }],
    ['src/sub/config', { 'src/sub/HEAD': '', 'src/sub/objects/x.ts': '', 'src/sub/refs/x.ts': '' }],
    ['src/sub/hooks/x.ts', { 'src/sub/HEAD': '', 'src/sub/objects/x.ts': '', 'src/sub/refs/x.ts': '' }],
    ['src/sub/x.ts', { 'src/sub/HEAD': '', 'src/sub/commondir': '../../.git' }],
  ] as const)('what completes or changes one that somebody else began: %s', async (path, files) => {
    expect(await judge('coder', project(files), path)).toBe('refuse')
  })

  it('nor does one come back from a sandbox', async () => {
    const root = project()
    const copy = mkdtempSync(join(tmpdir(), 'autotest-bare-copy-'))
    folders.push(copy)
    cpSync(root, copy, { recursive: true })
    write(copy, hostile('src/sub', '/dev/null'))
    const [before, after] = [await readFileSet(root, ['src']), await readFileSet(copy, ['src'])]
    const { changes, refused } = await returnedFiles(roleNamed('coder'), {
      ...{ root, folder: copy, before, after },
    })
    expect(refused.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['src/sub/HEAD', 'src/sub/config']),
    )
    expect(changes.map(({ path }) => path)).toEqual(['src/sub/objects/x.ts', 'src/sub/refs/x.ts'])
  })

  it.each([
    ['src/shop/objects/x.ts', {}],
    ['src/shop/refs/x.ts', { 'src/shop/objects/x.ts': '' }],
    ['src/shop/head.ts', { 'src/shop/objects/x.ts': '', 'src/shop/refs/x.ts': '' }],
    ['src/shop/refs/y.ts', { 'src/shop/head/x.ts': '', 'src/shop/objects/x.ts': '' }],
  ] as const)('what is no repository is written: %s', async (path, files) => {
    expect(await judge('coder', project(files), path)).toBe('allow')
  })
})

describe('git that autotest starts', () => {
  const [, minor = '0'] = /2\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? []

  it.skipIf(Number(minor) < 38)('takes no folder without .git for a repository', async () => {
    const root = project()
    const mark = join(root, 'ran')
    write(root, hostile('src/sub', mark))
    const git = await openGit(join(root, 'src/sub'))
    const { exitCode, stderr } = await git('status')
    expect([exitCode, stderr]).toEqual([128, expect.stringContaining('bare repository')])
    expect(existsSync(mark)).toBe(false)
  })
})

describe('the hook and the sandbox judge endings alike', () => {
  it.each([
    ['coder', 'src/sub/config'],
    ['coder', 'src/shop/run.sh'],
    ['test-writer', 'tests/unit/data.bin'],
    ['coder', 'src/shop/py.typed'],
  ])('%s: a person decides about %s', async (role, path) => {
    expect(await judge(role, project(), path)).toBe('ask')
  })

  it.each([
    ['coder', 'src/shop/a.sql'],
    ['test-writer', 'tests/unit/data.toml'],
    ['test-writer', 'tests/unit/data.csv'],
  ])('%s writes %s', async (role, path) => {
    expect(await judge(role, project(), path)).toBe('allow')
  })
})
