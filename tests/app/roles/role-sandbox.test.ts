import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { runRoleCommand } from '../../../src/app/roles/role-sandbox.js'
import { defaultRoles, type Role, roleNamed } from '../../../src/roles/role.js'
import type { Sandbox } from '../../../src/sandbox/sandbox-access.js'
import { needsBash, needsSandbox } from '../../needs.js'
import { requireSandbox } from '../../testgen/python-here.js'

const sandboxes = ['bubblewrap', 'namespaces', 'landlock'] as const

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A repository with sources, tests, a hook and settings. */
function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'autotest-roles-')))
  folders.push(root)
  const files = {
    'src/shop/calc.py': 'def add(a, b):\n    return a + b\n',
    'tests/unit/test_calc.py': 'def test_one():\n    assert True\n',
    'tests/conftest.py': '',
    'pyproject.toml': '[project]\nname = "shop"\n',
    'docs/notes.md': 'notes\n',
    '.env': 'TOKEN=1\n',
    '.gitignore': '.env\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync('../../docs/notes.md', join(root, 'tests/unit/notes.md'))
  execFileSync('git', ['init', '-q', root])
  return root
}

/** Everything in a folder but what git itself keeps: kind, mode and content of each file. */
function stateOf(root: string, folder = '.'): Record<string, string> {
  const state: Record<string, string> = {}
  for (const name of readdirSync(join(root, folder))) {
    const path = join(folder, name)
    const stats = lstatSync(join(root, path))
    if (stats.isDirectory()) Object.assign(state, { [path]: `folder ${stats.mode}` }, stateOf(root, path))
    else if (stats.isSymbolicLink()) state[path] = `link ${readlinkSync(join(root, path))}`
    else
      state[path] = `${stats.mode} ${createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex')}`
  }
  return state
}

/** Ways to change what belongs to somebody else, as a shell has them. */
const attempts = [
  ...[
    'src/shop/calc.py',
    'tests/conftest.py',
    'pyproject.toml',
    'conftest.py',
    'docs/notes.md',
    '.env',
  ].flatMap((path) => [
    `echo x > ${path}`,
    `echo x >> "$PWD/${path}"`,
    `rm -f ${path}`,
    `mv ${path} "$HOME/taken"`,
    `chmod 777 ${path}`,
    `ln -sf /etc/passwd ${path}`,
    `sed -i s/a/b/ ${path}`,
    `truncate -s 0 ${path}`,
    `python3 -c "open('${path}', 'w').write('x')"`,
    `(setsid sh -c "sleep 0.05; echo x > ${path}" &)`,
  ]),
  'echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
  'git config core.hooksPath "$HOME/hooks"',
  'git config core.fsmonitor "touch pwned"',
  'git commit --allow-empty -q -m x',
  'git checkout -q -b other',
  'git apply <<< "x"',
  'rm -rf src',
  'rm -rf .git',
  'mv src sources',
  'mkdir -p src/new && touch src/new/a.py',
  'mount --bind "$HOME" src',
  'mount -o remount,rw .',
  'umount src',
  'unshare -rm sh -c "mount -o remount,rw,bind . ; echo x > pyproject.toml"',
  'touch Src/a.py',
  'mkdir Tests; touch Tests/x.py',
  'ln src/shop/calc.py hard.py',
  'find . -name "*.py" -path "./src/*" -delete',
  'tar cf - docs | tar xf - -C src',
  'cp docs/notes.md src/notes.py',
  'install -m 755 docs/notes.md src/tool',
  'dd if=/dev/zero of=src/zero.py count=1',
  'cd src && touch b.py',
  'cd / && touch pwned',
  'echo x > ~/pwned',
  'exec 3> src/fd.py',
]

/** Ways to smuggle something into one's own folder that is more than a file there. */
const smuggled = [
  ['tests/unit/link.py', 'ln -s ../../src/shop/calc.py tests/unit/link.py'],
  ['tests/unit/notes.md', 'ln -sf /etc/passwd tests/unit/notes.md'],
  ['tests/unit/hard.py', 'ln tests/unit/test_calc.py tests/unit/hard.py'],
  ['tests/unit/pipe', 'mkfifo tests/unit/pipe'],
  ['tests/unit/suid.py', 'touch tests/unit/suid.py; chmod 4755 tests/unit/suid.py'],
  ['tests/unit/run.py', 'touch tests/unit/run.py; chmod 755 tests/unit/run.py'],
  ['tests/unit/open.py', 'touch tests/unit/open.py; chmod 666 tests/unit/open.py'],
  ['tests/unit/TEST_CALC.py', 'touch tests/unit/TEST_CALC.py'],
  ['tests/unit/a.so', 'touch tests/unit/a.so'],
  ['tests/unit/x.pth', 'touch tests/unit/x.pth'],
  ['tests/unit/sitecustomize.py', 'touch tests/unit/sitecustomize.py'],
  ['tests/unit/.env', 'touch tests/unit/.env'],
  ['tests/unit/.git/config', 'mkdir tests/unit/.git; touch tests/unit/.git/config'],
  ['tests/unit/e\u0301.py'.normalize('NFD'), `touch 'tests/unit/${'e\u0301'.normalize('NFD')}.py'`],
  ['tests/unit/a\tb.py', "touch $'tests/unit/a\\tb.py'"],
  ['tests/unit/two/X.py', 'mkdir tests/unit/two; touch tests/unit/two/x.py tests/unit/two/X.py'],
] as const

const run = (
  root: string,
  role: Role,
  script: string,
  sandbox: Sandbox['name'],
  onNote?: (text: string) => void,
) =>
  runRoleCommand({
    onNote,
    role,
    root,
    cwd: root,
    command: ['bash', '-c', `exec > /dev/null 2>&1\n${script}`],
    env: process.env,
    sandbox: requireSandbox(sandbox),
    timeoutMs: 60_000,
    streams: { input: Readable.from([]), output: new PassThrough(), errors: new PassThrough() },
    signal: new AbortController().signal,
  })

for (const sandbox of sandboxes)
  describe(`in ${sandbox}`, { ...needsBash, ...needsSandbox(sandbox) }, () => {
    it.each(['test-writer', 'debugger'])(
      `none of ${attempts.length} attempts of %s changes what is not its own`,
      async (name) => {
        const root = project()
        const before = stateOf(root)
        const script = attempts.map((each) => `(${each.includes('<<<') ? `${each}\n` : each})`).join('\n')
        const { changes, refused, dispose } = await run(
          root,
          roleNamed(name),
          `${script}\nsleep 0.2`,
          sandbox,
        )
        await dispose()
        expect([changes.map(({ path }) => path), stateOf(root)]).toEqual([[], before])
        expect(refused.filter(({ path }) => !path.startsWith('tests/'))).toEqual([])
      },
    )

    it('the coder plants no conftest and no settings, and changes no test', async () => {
      const root = project()
      const before = stateOf(root)
      const planted = ['conftest.py', 'CONFTEST.py', 'pytest.ini', 'sitecustomize.py', 'x.pth', 'setup.cfg']
      const script = [
        ...planted.map((name) => `touch src/shop/${name}`),
        'echo x > tests/unit/test_calc.py',
        'rm tests/unit/test_calc.py',
        'mkdir -p src/shop/__pycache__; touch src/shop/__pycache__/calc.cpython-311.pyc',
      ].join('\n')
      const { changes, refused, dispose } = await run(root, roleNamed('coder'), script, sandbox)
      await dispose()
      expect([changes, stateOf(root)]).toEqual([[], before])
      expect(refused.map(({ path }) => path)).toEqual(planted.map((name) => `src/shop/${name}`).sort())
    })

    it('brings back what is its own: new, changed and deleted files', async () => {
      const root = project()
      const script =
        'echo "x = 1" > tests/unit/test_new.py; mkdir -p tests/integration/deep; echo 1 > tests/integration/deep/a.json; rm tests/unit/test_calc.py'
      const { changes, refused, exitCode, dispose } = await run(
        root,
        roleNamed('test-writer'),
        `${script}; exit 7`,
        sandbox,
      )
      await dispose()
      expect([refused, exitCode]).toEqual([[], 7])
      expect(
        changes.map(({ path, after }) => [path, after === null ? null : Buffer.from(after).toString()]),
      ).toEqual([
        ['tests/integration/deep/a.json', '1\n'],
        ['tests/unit/test_new.py', 'x = 1\n'],
        ['tests/unit/test_calc.py', null],
      ])
      expect(lstatSync(join(root, 'tests/integration'), { throwIfNoEntry: false })).toBeUndefined()
    })

    it('shows no file that its role may not read, and says so once', async () => {
      const root = project()
      const key = '-----BEGIN PRIVATE KEY-----\nhunter2\n'
      writeFileSync(join(root, '.env'), 'TOKEN=hunter2\n')
      writeFileSync(join(root, 'docs/server.txt'), key)
      writeFileSync(join(root, 'tests/unit/key.json'), key)
      mkdirSync(join(root, 'node_modules/a'), { recursive: true })
      writeFileSync(join(root, 'node_modules/a/.env'), 'hunter2')
      execFileSync('git', ['-C', root, 'remote', 'add', 'origin', 'https://u:hunter2@example.com/a'])
      const script = `grep -rs hunter2 '${root}' . >> tests/unit/found.txt; git status > /dev/null || touch tests/unit/lost.txt`
      for (const writes of [['tests/unit/**'], ['**/*.txt']]) {
        const notes: string[] = []
        const role: Role = { ...roleNamed('test-writer'), writes }
        const { changes, refused, dispose } = await run(root, role, script, sandbox, (text) =>
          notes.push(text),
        )
        await dispose()
        expect(changes.map(({ path, after }) => [path, String(after)])).toEqual([
          ['tests/unit/found.txt', ''],
          ...(sandbox === 'landlock' ? [['tests/unit/lost.txt', '']] : []),
        ])
        expect(refused).toEqual([])
        expect(notes).toHaveLength(1)
        for (const path of ['.env', 'docs/server.txt', 'tests/unit/key.json', '.git/config'])
          expect(notes[0]).toContain(`${path} (`)
      }
      const needs: Role = { ...roleNamed('test-writer'), reads: ['.env'] }
      const given = await run(root, needs, 'cp .env tests/unit/found.txt', sandbox)
      await given.dispose()
      expect(given.changes.map(({ after }) => String(after))).toEqual(
        // Git ignores it, and the copy has what git knows.
        sandbox === 'landlock' ? [] : ['TOKEN=hunter2\n'],
      )
    })

    it('goes on beside names that are not UTF-8, and takes none over', async () => {
      const root = project()
      writeFileSync(Buffer.concat([Buffer.from(join(root, 'tests/unit/')), Buffer.from([0xe9])]), 'x')
      const notes: string[] = []
      const script = 'echo 1 > tests/unit/a.json; touch "tests/unit/$(printf "caf\\351.py")"'
      const role = roleNamed('test-writer')
      const { changes, refused, dispose } = await run(root, role, script, sandbox, (text) => notes.push(text))
      await dispose()
      expect(changes.map(({ path }) => path)).toEqual(['tests/unit/a.json'])
      expect(refused).toEqual([
        { path: 'tests/unit/caf\ufffd.py', reason: 'it is named in bytes that are not UTF-8' },
      ])
      expect(notes.join()).toContain('not UTF-8')
    })

    it('refuses what is more than a file', async () => {
      const root = project()
      const script = smuggled.map(([, each]) => each).join('\n')
      const { changes, refused, dispose } = await run(root, roleNamed('test-writer'), script, sandbox)
      await dispose()
      const names = new Set(refused.map(({ path }) => path))
      expect(smuggled.flatMap(([path]) => (names.has(path) || path.endsWith('X.py') ? [] : [path]))).toEqual(
        [],
      )
      // A hard link shares its bytes with the file beside it: neither comes back as it is.
      expect(changes.map(({ path }) => path)).toEqual(['tests/unit/two/X.py'])
    })

    it('holds a flat project by the pattern of its names', async () => {
      const root = project()
      writeFileSync(join(root, 'test_flat.py'), '')
      writeFileSync(join(root, 'flat.py'), '')
      const [, coder] = defaultRoles
      if (coder === undefined) throw new Error('there is no coder')
      const role: Role = { ...coder, writes: ['**/*.py', '!**/test_*.py', '!tests/**', '!agents/**'] }
      const { changes, refused, dispose } = await run(
        root,
        role,
        'echo x > flat.py; echo x > test_flat.py; echo x > tests/unit/a.py; echo x > .git/config; mkdir agents; echo x > agents/coder.py; git status > "$HOME/status" || exit 3',
        sandbox,
      )
      await dispose()
      expect(changes.map(({ path }) => path)).toEqual(['flat.py'])
      expect(refused.map(({ path }) => path).sort()).toEqual([
        'agents/coder.py',
        'test_flat.py',
        'tests/unit/a.py',
      ])
    })
  })
