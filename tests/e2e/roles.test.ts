import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsBash, needsPython } from '../needs.js'
import { autotest, autotestProcess, cli, removeFolders, scratchFolder } from './sample.js'

afterAll(removeFolders)

function project(files: Readonly<Record<string, string>> = {}): string {
  const root = scratchFolder()
  execFileSync('git', ['init', '-q', root])
  for (const [path, text] of Object.entries({ 'src/calc.py': 'x = 1\n', 'pyproject.toml': '', ...files })) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const guard = (cwd: string, role: string, request: object) => {
  const { status, stdout } = spawnSync(process.execPath, [cli, 'guard', '--role', role], {
    cwd,
    input: JSON.stringify(request),
    encoding: 'utf8',
  })
  return { code: status, answer: JSON.parse(stdout) }
}

describe('autotest guard', () => {
  it('is right in a folder below the root, and in a project without a configuration', needsPython, () => {
    const root = project()
    const inside = join(root, 'src')
    expect(guard(inside, 'test-writer', { tool: 'Write', path: 'tests/unit/test_a.py' }).code).toBe(2)
    expect(
      guard(inside, 'test-writer', { tool: 'Write', path: join(root, 'tests/unit/test_a.py') }).code,
    ).toBe(0)
    expect(guard(inside, 'coder', { tool: 'Write', path: 'calc.py' }).code).toBe(0)
  })

  it('knows the guidelines that come with the program, and those of a project in their place', () => {
    const denied = { tool: 'WebFetch' }
    const own = {
      id: 'no-edit',
      name: 'No edits',
      description: 'Whole files only.',
      category: 'house',
      priority: 500,
      action: { type: 'tool_restriction', instruction: 'Write whole files.', tools_denied: ['Edit'] },
    }
    const root = project({ 'agents/guidelines/no-edit.json': JSON.stringify(own) })
    expect(guard(root, 'coder', { tool: 'Edit', path: 'src/calc.py' }).answer.reason).toBe(
      'guidelines deny Edit to coder',
    )
    expect(guard(root, 'coder', denied).code).toBe(2)
  })

  it('fails closed where a guideline or a role cannot be read', async () => {
    for (const file of ['agents/guidelines/broken.json', 'agents/coder.yaml']) {
      const root = project({ [file]: 'role: [\n' })
      const { status, stderr } = spawnSync(process.execPath, [cli, 'guard', '--role', 'coder'], {
        cwd: root,
        input: '{"tool": "Read"}',
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([2, expect.stringContaining('denied, as it cannot be judged')])
    }
  })

  it('turns a command into one that writes what the role may, and no more', {
    ...needsPython,
    ...needsBash,
  }, () => {
    const root = project()
    const command = `echo "it's" > tests/unit/test_a.py; echo y > src/calc.py; echo "$0 $(pwd)"`
    const request = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command }, cwd: root }
    const { answer } = guard(root, 'test-writer', request)
    const { updatedInput } = answer.hookSpecificOutput
    spawnSync('bash', ['-c', updatedInput.command], { cwd: root })
    expect(readFileSync(join(root, 'tests/unit/test_a.py'), 'utf8')).toBe("it's\n")
    expect(readFileSync(join(root, 'src/calc.py'), 'utf8')).toBe('x = 1\n')
    expect(existsSync(join(root, 'tests/integration'))).toBe(false)
  })
})

describe('autotest sandbox', { ...needsBash, ...needsPython }, () => {
  it('ends as its command does, and with 1 where something was refused', async () => {
    const root = project()
    const run = (...command: string[]) =>
      autotestProcess(root, ['sandbox', '--role', 'coder', '--', ...command])
    expect((await run('bash', '-c', 'exit 9')).code).toBe(9)
    expect(await run('echo', '0012', '--role', '1e3')).toEqual({ code: 0, out: '0012 --role 1e3\n', err: '' })
    const refused = await run('touch', 'src/conftest.py', 'src/b.py')
    expect(refused).toEqual({
      code: 1,
      out: '',
      err: 'refused  src/conftest.py: coder may not write conftest.py: it would run with the tests\n1 file written by coder: src/b.py\n',
    })
    const { out } = await autotest(root, ['roles'])
    expect(out).toMatch(/coder \(sandbox\) {2}src\/conftest\.py: coder may not write conftest\.py/)
    expect((await run('not-a-program')).code).not.toBe(0)
  })

  it('takes over nothing of what another program changed in the meantime', async () => {
    const root = project()
    const script = 'echo y >> src/calc.py; echo ready; read line'
    const child = spawn(process.execPath, [cli, 'sandbox', '--role', 'coder', '--', 'bash', '-c', script], {
      cwd: root,
    })
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    // It has written by then, whatever a start takes on this machine.
    await new Promise((resolve) => child.stdout.once('data', resolve))
    writeFileSync(join(root, 'src/calc.py'), 'z = 1\n')
    child.stdin.end('go on\n')
    const code = await ended
    expect([code, readFileSync(join(root, 'src/calc.py'), 'utf8')]).toEqual([1, 'z = 1\n'])
    expect(err).toContain('refused  src/calc.py: another program changed it in the meantime')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'takes over nothing of a command that %s cut off',
    async (signal) => {
      const root = project()
      const script = 'echo y >> src/calc.py; echo z > src/new.py; echo ready; sleep 60'
      const child = spawn(process.execPath, [cli, 'sandbox', '--role', 'coder', '--', 'bash', '-c', script], {
        cwd: root,
      })
      let err = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text
      })
      const before = readFileSync(join(root, 'src/calc.py'), 'utf8')
      const ended = new Promise((resolve) => child.once('close', resolve))
      await new Promise((resolve) => child.stdout.once('data', resolve))
      child.kill(signal)
      expect(await ended).toBe(130)
      expect(err).toContain('nothing that it wrote was taken over')
      expect([readFileSync(join(root, 'src/calc.py'), 'utf8'), existsSync(join(root, 'src/new.py'))]).toEqual(
        [before, false],
      )
    },
  )

  it('takes over nothing of a command that passed its deadline', async () => {
    const root = project()
    const args = [
      'sandbox',
      '--role',
      'coder',
      '--timeout',
      '3',
      '--',
      'bash',
      '-c',
      'echo z > src/new.py; sleep 60',
    ]
    const { code, err } = await autotest(root, args)
    expect([code, existsSync(join(root, 'src/new.py'))]).toEqual([124, false])
    expect(err).toContain('ended after 3 s (--timeout), and nothing that it wrote was taken over')
  })

  it('names a folder of the role that cannot be created', async () => {
    const root = project()
    rmSync(join(root, 'tests'), { recursive: true, force: true })
    writeFileSync(join(root, 'tests'), '')
    const { code, err } = await autotest(root, ['sandbox', '--role', 'test-writer', '--', 'true'])
    expect(code).toBe(2)
    expect(err).toMatch(/tests\/unit is not there, and cannot be created/)
    expect(err).not.toContain('bug')
  })

  it.each([
    [['--role', 'codr', '--', 'ls'], 'did you mean coder?'],
    [['--role', 'coder'], 'no command is named'],
    [['--role', 'coder', '--timeout', '0', '--', 'ls'], '--timeout must be a number of seconds'],
    [['--role', 'coder', '--timeout', 'soon', '--', 'ls'], '--timeout must be a number of seconds'],
    [['--', 'ls'], 'role'],
  ])('%j is an error with exit code 2', async (args, said) => {
    const { code, err } = await autotest(project(), ['sandbox', ...args])
    expect([code, err]).toEqual([2, expect.stringContaining(said)])
  })
})

describe('a role of a project', () => {
  const coder = (writes: string): string => `name: coder
model: openai:gpt-5-mini
role:
  mode: forward synthesis (code)
  writes: ${writes}
  tools: [Read, Write]
initial_context: { system_prompt: You write code., node_context: '{{ task }}' }
tools:
  - name: submit_result
    description: The end.
    parameters: { type: object, additionalProperties: false, required: [], properties: {} }
`

  it('writes by its own patterns, and never what holds it', needsPython, () => {
    const root = project({ 'agents/coder.yaml': coder("['**', '!tests/**']") })
    for (const [path, code] of [
      ['lib/a.py', 0],
      ['tests/a.py', 2],
      ['agents/coder.yaml', 2],
      ['reports/autotest.db', 2],
      ['autotest.config.yaml', 2],
      ['benchmarks/a.yaml', 2],
      ['.github/workflows/a.yml', 2],
    ] as const)
      expect([path, guard(root, 'coder', { tool: 'Write', path }).code]).toEqual([path, code])
  })

  it.each(["['../x/**']", "['/etc/**']", "['~/**']", "['a\\\\b/**']", "['']"])(
    '%s is no pattern',
    async (writes) => {
      const { code, err } = await autotest(project({ 'agents/coder.yaml': coder(writes) }), ['roles'])
      expect([code, err]).toEqual([2, expect.stringMatching(/agents\/coder\.yaml:5:\d+/)])
    },
  )
})
