import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { shadowedNames } from '../../src/app/roles/shadowed-names.js'
import { answerGuard } from '../../src/roles/guard.js'
import { defaultRoles } from '../../src/roles/role.js'
import { needsPython } from '../needs.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-guard-'))
afterAll(() => rmSync(root, { recursive: true }))
for (const folder of ['src/shop', 'tests/unit', 'tests/integration', 'docs', '.git/hooks'])
  mkdirSync(join(root, folder), { recursive: true })
writeFileSync(join(root, 'src/shop/a.py'), '')
writeFileSync(join(root, 'src/shop/hard.py'), '')
writeFileSync(join(root, 'tests/unit/test_a.py'), '')
symlinkSync(join(root, 'src'), join(root, 'tests/unit/linked'))
symlinkSync(join(root, 'src/shop/hard.py'), join(root, 'tests/unit/test_link.py'))
symlinkSync(join(root, 'tests/unit'), join(root, 'src/tests'))
linkSync(join(root, 'src/shop/hard.py'), join(root, 'tests/unit/test_hard.py'))

const findShadowed = shadowedNames({ python: undefined, env: process.env })
const options = { root, roles: defaultRoles, guidelines: [], sandbox: undefined, findShadowed }
const ask = async (role: string | undefined, request: unknown, more: object = {}) => {
  const text = typeof request === 'string' ? request : JSON.stringify(request)
  return answerGuard(text, { ...options, role, ...more })
}
const writes = async (role: string, path: string): Promise<string> => {
  const { out, code } = await ask(role, { tool: 'Write', path })
  const { decision } = JSON.parse(out)
  expect(code).toBe(decision === 'allow' ? 0 : 2)
  return decision
}

describe('a role writes its own folders', needsPython, () => {
  it.each([
    ['test-writer', 'tests/unit/test_b.py'],
    ['test-writer', 'tests/integration/deep/test_b.py'],
    ['coder', 'src/shop/a.py'],
    ['backend', 'src/shop/new/b.py'],
    ['frontend', 'src/app.ts'],
    ['coder', join(root, 'src/shop/b.py')],
  ])('%s: %s', async (role, path) => {
    expect(await writes(role, path)).toBe('allow')
  })
})

/** Ways out of a role's folders, each tried as the roles that could gain from it. */
const ways = [
  ...[
    '../x.py',
    'tests/unit/../../src/x.py',
    'src/../tests/unit/test_a.py',
    'src/shop/../../tests/unit/test_a.py',
  ],
  ...[
    '/etc/passwd',
    '/outside.py',
    '~/.ssh/id_rsa',
    './../x',
    'tests',
    'src',
    '.',
    '',
    ' ',
    'tests/unit',
    'tests/unit/',
  ],
  ...[
    '.git/hooks/pre-commit',
    'tests/unit/.git/config',
    'src/.git/hooks/post-checkout',
    '.github/workflows/ci.yml',
  ],
  ...[
    'tests/unit/linked/shop/a.py',
    'tests/unit/test_link.py',
    'tests/unit/test_hard.py',
    'src/tests/test_a.py',
  ],
  ...[
    'Tests/unit/test_a.py',
    'TESTS/UNIT/test_a.py',
    'tests/Unit/x.py',
    'SRC/shop/a.py',
    'Src/a.py',
    'tests/unit/TEST_A.py',
  ],
  ...[
    'src/shop/A.py',
    'src/Shop/b.py',
    'tests/unit/test_\u0430.py\u200b',
    'tests\u2044unit/x.py',
    'tests\\unit\\x.py',
    'src\\a.py',
  ],
  ...[
    'tests/unit/a\u0000.py',
    'tests/unit/x.py\n',
    'tests/unit/-rf',
    'tests/unit/con.py',
    'tests/unit/a:b.py',
    'tests/unit/%2e%2e/x',
  ],
  ...[
    'tests/unit*/x.py',
    'tests/unitx/test_a.py',
    'srcx/a.py',
    'src./a.py',
    'tests/ unit/x.py',
    'docs/a.md',
    'README.md',
    'pyproject.toml',
  ],
  ...[
    'tests/conftest.py',
    'tests/helpers.py',
    'conftest.py',
    'package.json',
    'autotest.config.yaml',
    'benchmarks/a.yaml',
    'Makefile',
  ],
  ...[
    'tests/unit/sitecustomize.py',
    'src/.hidden/a.py',
    'tests/unit/.env',
    'src/node_modules/x/index.js',
    'src/CLAUDE.md',
    'src/AGENTS.md',
  ],
]
const ofCoder = [
  'conftest.py',
  'CONFTEST.py',
  'pytest.ini',
  'sitecustomize.py',
  'usercustomize.py',
  'x.pth',
  'tox.ini',
  'setup.cfg',
]

describe('and nothing else', () => {
  const attempts = [
    ...['test-writer', 'debugger'].flatMap((role) => ways.map((path) => [role, path] as const)),
    ...['coder', 'backend'].flatMap((role) => ways.map((path) => [role, path] as const)),
    ...['coder', 'frontend'].flatMap((role) => ofCoder.map((name) => [role, `src/shop/${name}`] as const)),
    ...['test-writer', 'debugger'].map((role) => [role, 'src/shop/a.py'] as const),
    ...['coder', 'debugger'].map((role) => [role, 'tests/unit/test_a.py'] as const),
  ]

  it(`in ${attempts.length} attempts`, async () => {
    const allowed: string[] = []
    for (const [role, path] of attempts)
      if ((await writes(role, path)) === 'allow') allowed.push(`${role}: ${JSON.stringify(path)}`)
    expect(allowed).toEqual([])
    expect(attempts.length).toBeGreaterThan(200)
  })
})

describe('a person decides', () => {
  const request = { tool: 'Write', path: 'tests/unit/conftest.py' }

  it('about a conftest.py of a test writer: a hook asks, anything else is denied until somebody was asked', async () => {
    const { code, out } = await ask('test-writer', request)
    expect([code, JSON.parse(out)]).toEqual([
      2,
      { decision: 'ask', reason: 'tests/unit/conftest.py is loaded by pytest: a person decides' },
    ])
    const hooked = await ask('test-writer', {
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: request.path },
    })
    expect([hooked.code, JSON.parse(hooked.out).hookSpecificOutput.permissionDecision]).toEqual([0, 'ask'])
  })
})

describe('what cannot be judged is denied', () => {
  it.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a key that nobody knows', { tool: 'Write', path: 'src/a.py', force: true }],
    ['no path', { tool: 'Write' }],
    [
      'a path that is no text',
      { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: ['src/a.py'] } },
    ],
    [
      'another event',
      { hook_event_name: 'PostToolUse', tool_name: 'Write', tool_input: { file_path: 'src/a.py' } },
    ],
    ['a tool that nobody knows', { tool: 'mcp__files__write', path: 'src/a.py' }],
    ['an empty command', { tool: 'Bash', command: ' ' }],
    ['a command without a sandbox', { tool: 'Bash', command: 'ls' }],
    ['a request of another role', { tool: 'Write', path: 'src/a.py', role: 'test-writer' }],
  ])('%s', async (_what, request) => {
    const { code, err } = await ask('coder', request)
    expect([code, err]).toEqual([2, expect.stringMatching(/^autotest guard: ./)])
  })

  it('no role, and one that is not there', async () => {
    expect((await ask(undefined, { tool: 'Read' })).err).toContain('no role is named')
    expect((await ask('codr', { tool: 'Read' })).err).toContain('there is no role "codr"')
  })
})

describe('the answer', () => {
  const hook = (tool: string, input: object) => ({
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input,
    cwd: root,
    session_id: 's',
  })

  it('to a hook leaves what is allowed to the user, and says why something is denied', async () => {
    expect(await ask('coder', hook('Edit', { file_path: join(root, 'src/shop/a.py') }))).toEqual({
      out: '{}',
      err: '',
      code: 0,
    })
    expect(await ask('debugger', hook('Read', { file_path: '/etc/hosts' }))).toEqual({
      out: '{}',
      err: '',
      code: 0,
    })
    const { out, code } = await ask('debugger', hook('Edit', { file_path: 'src/shop/a.py' }))
    expect([code, JSON.parse(out)]).toEqual([
      2,
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'debugger may not use Edit',
        },
      },
    ])
  })

  it('to a command is the same command in the sandbox, whatever is in it', async () => {
    const command = `echo 'a' "$HOME" && rm -rf src; $(touch x) \`y\``
    const sandbox = ['autotest', 'sandbox']
    const { out, code } = await ask('coder', hook('Bash', { command, timeout: 5 }), { sandbox })
    const { updatedInput } = JSON.parse(out).hookSpecificOutput
    expect([code, updatedInput.timeout]).toEqual([0, 5])
    // A shell reads it back as six words and the command, and runs nothing of it.
    const words = execFileSync('sh', ['-c', `autotest() { printf '%s\\0' "$@"; }; ${updatedInput.command}`], {
      encoding: 'utf8',
      cwd: root,
    })
    expect(words.split('\0').slice(0, -1)).toEqual([
      'sandbox',
      '--role',
      'coder',
      '--',
      'bash',
      '-c',
      command,
    ])
  })

  it('follows the guidelines', async () => {
    const guideline = {
      id: 'no-edits',
      name: 'n',
      description: 'd',
      enabled: true,
      category: 'c',
      priority: 1,
      condition: { agents: ['coder'] },
      action: { type: 'tool_restriction', instruction: 'i', tools_allowed: [], tools_denied: ['Edit'] },
    }
    const { err } = await ask('coder', hook('Edit', { file_path: 'src/shop/a.py' }), {
      guidelines: [guideline],
    })
    expect(err).toContain('guidelines deny Edit to coder')
  })
})

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
  'a tool that every object has is unknown: %s',
  async (tool) => {
    const hook = {
      hook_event_name: 'PreToolUse',
      tool_name: tool,
      tool_input: { file_path: 'src/shop/new.py' },
    }
    for (const request of [hook, { tool, path: 'src/shop/new.py' }]) {
      const { code, err } = await ask('coder', request)
      expect([code, err]).toEqual([2, expect.stringContaining('is not a tool that coder may use')])
    }
  },
)
