import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { CancellationTokenSource, ProgressType } from 'vscode-jsonrpc/node'
import { needsPython } from '../needs.js'
import { removeFolders, sampleCopy, scratchFolder } from './sample.js'
import { connect, killServers, startServer } from './serve-connection.js'
import { rightSource, sourcePath, tddProject, writeIn } from './tdd-project.js'

afterEach(killServers)
afterAll(removeFolders)

const project = (): string => tddProject({ [sourcePath]: rightSource })

describe('autotest serve', { timeout: 120_000 }, () => {
  it('says what it is, and tells a client of another version', async () => {
    const { connection } = connect(project())
    const said = await connection.sendRequest('initialize', { protocolVersion: 1 })
    expect(said).toMatchObject({ name: 'autotest', protocolVersion: 1 })
    expect(said).not.toHaveProperty('warning')
    expect(await connection.sendRequest('initialize', { protocolVersion: 99 })).toHaveProperty('warning')
  })

  it.each([
    ['an unknown method', 'no_such_method', {}, -32601],
    ['a parameter of another type', 'parse_file', { filePath: 3 }, -32602],
    ['a missing parameter', 'validate_syntax', {}, -32602],
    ['a path out of the project', 'parse_file', { filePath: '../../etc/passwd' }, -32000],
    ['another absolute path', 'run_tests', { testPath: '/etc/passwd' }, -32000],
  ])('%s is an error with its code', async (_what, method, params, code) => {
    const { connection } = connect(project())
    await expect(connection.sendRequest(method, params)).rejects.toMatchObject({ code })
  })

  it('answers requests without params', async () => {
    const { connection } = connect(project())
    expect(await connection.sendRequest('initialize')).toMatchObject({ name: 'autotest' })
    expect(await connection.sendRequest('registry')).toBeDefined()
    await expect(connection.sendRequest('validate_syntax')).rejects.toMatchObject({ code: -32602 })
  })

  it('ends with its input, and by exit', async () => {
    for (const how of ['end', 'exit'] as const) {
      const { connection, server } = connect(project())
      await connection.sendRequest('initialize', {})
      const ended = new Promise((resolve) => server.once('close', resolve))
      if (how === 'end') server.stdin?.end()
      else {
        await connection.sendRequest('shutdown')
        await connection.sendNotification('exit')
      }
      expect(await ended).toBe(0)
    }
  })

  it('answers about cases, comparisons, gates and guidelines', async () => {
    const { connection } = connect(sampleCopy())
    const run = await connection.sendRequest<{
      summary: { total: number }
      cases: { id: string; verdict: string }[]
    }>('run', { ids: ['dau_id_monthly'] })
    expect(run.cases).toEqual([expect.objectContaining({ id: 'dau_id_monthly', verdict: 'pass' })])
    expect(await connection.sendRequest('why', { caseId: 'dau_id_monthly' })).toHaveLength(1)
    expect(await connection.sendRequest('gates', {})).toEqual([])
    expect(
      await connection.sendRequest('compare', {
        expected: 'SELECT a FROM t WHERE b = 1 AND c = 2',
        generated: 'SELECT a FROM t WHERE c = 2 AND b = 1',
      }),
    ).toMatchObject({ verdict: 'pass' })
    const context = await connection.sendRequest<{ gates: unknown[]; tools_denied: string[] }>(
      'guardrails_get_context',
      {
        ...{ agent: 'backend', action: 'fix', events: ['test_failure_repeated'] },
      },
    )
    expect(context.gates).toEqual([
      { id: 'tdd-debugger-escalation', gate_type: 'test_failure_escalation', gate_threshold: 'advisory' },
    ])
    expect(await connection.sendRequest('guardrails_get_context', { agent: 'debugger' })).toMatchObject({
      tools_denied: ['Write', 'Edit'],
    })
  })
})

/** One message, whatever is in it. */
const framed = (body: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes])
}

describe('messages of any kind', { timeout: 300_000 }, () => {
  it('10,000 of them, half malformed, are answered or refused by code, and none ends the server', async () => {
    const server = startServer(project())
    const { stdin, stdout } = server
    if (stdin === null || stdout === null) throw new Error('no streams')
    let text = ''
    stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    const wellFormed = fc.record({
      jsonrpc: fc.constant('2.0'),
      method: fc.constantFrom(
        'initialize',
        'gates',
        'nothing',
        'shutdown',
        'why',
        'compare',
        '$/cancelRequest',
        'toString',
        '__proto__',
      ),
      params: fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
        fc.array(fc.jsonValue(), { maxLength: 3 }),
      ),
    })
    const malformed = fc.oneof(
      fc.string().map(framed),
      fc.uint8Array({ maxLength: 60 }).map(framed),
      fc.jsonValue().map((value) => framed(JSON.stringify(value))),
      fc
        .record({
          jsonrpc: fc.constantFrom('1.0', '2.0', ''),
          id: fc.jsonValue(),
          method: fc.jsonValue(),
          params: fc.jsonValue(),
        })
        .map((value) => framed(JSON.stringify(value))),
      fc
        .constantFrom(
          '\r\n\r\n',
          'Content-Length: x\r\n\r\n',
          'Content-Length: -5\r\n\r\n',
          'Content-Length: 99999999999\r\n\r\n',
          'A: b\r\n\r\n',
          'nonsense\r\n\r\n',
        )
        .map((each) => Buffer.from(each)),
    )
    const requests = fc.sample(wellFormed, { numRuns: 5000, seed: 34 })
    const broken = fc.sample(malformed, { numRuns: 5000, seed: 35 })
    for (const [at, message] of requests.entries()) {
      stdin.write(framed(JSON.stringify({ ...message, id: `r${at}` })))
      stdin.write(broken[at] ?? '')
    }
    stdin.write(framed('{"jsonrpc":"2.0","id":"last","method":"initialize"}'))
    const cancelled = requests.flatMap(({ method }, at) => (method.startsWith('$/') ? [at] : []))
    const left = (): number[] => {
      const answered = new Set([...text.matchAll(/"id":"r(\d+)"/g)].map(([, at]) => Number(at)))
      return requests.flatMap((_, at) => (answered.has(at) || cancelled.includes(at) ? [] : [at]))
    }
    // Several are answered at once: the last one may be before others.
    for (let waited = 0; !(text.includes('"last"') && left().length === 0) && waited < 400; waited++)
      await new Promise((resolve) => setTimeout(resolve, 500))
    expect(server.exitCode).toBeNull()
    expect(text).toContain('"last"')
    expect(left()).toEqual([])
    for (const code of [-32700, -32600, -32601, -32602]) expect(text).toContain(`"code":${code}`)
  })
})

describe('what an editor asks about Python', { ...needsPython, timeout: 200_000 }, () => {
  it('functions of a file, of its unsaved text, and a syntax error with its line', async () => {
    const { connection } = connect(project())
    const found = await connection.sendRequest('parse_file', { filePath: sourcePath })
    expect(found).toMatchObject([
      {
        ...{
          name: 'discount',
          signature: 'def discount(price, percent)',
          docstring: 'The price less some percent.',
        },
        ...{ decorators: [], is_async: false, is_method: false, class_name: null, line_number: 1 },
      },
      { name: 'bigger' },
    ])
    const text =
      'class A:\n    @property\n    async def f(self, a: int = 1) -> int:  # why\n        return a\n'
    expect(
      await connection.sendRequest('parse_file', { filePath: sourcePath, text, version: 2 }),
    ).toMatchObject([
      {
        ...{
          name: 'f',
          qualname: 'A.f',
          signature: 'async def f(self, a: int = 1) -> int',
          is_method: true,
          class_name: 'A',
        },
        ...{ decorators: ['property'], line_number: 3, body: '        return a' },
      },
    ])
    await expect(
      connection.sendRequest('parse_file', { filePath: sourcePath, text: 'def f(:\n' }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(':1'),
      data: { code: 'python_syntax' },
    })
    expect(await connection.sendRequest('validate_syntax', { code: 'x = 1' })).toEqual({ valid: true })
    expect(await connection.sendRequest('validate_syntax', { code: 'x =\n' })).toMatchObject({
      valid: false,
      error: expect.stringContaining('line 1'),
    })
    expect(
      await connection.sendRequest('parse_python_function', {
        file_path: sourcePath,
        function_name: 'bigger',
      }),
    ).toMatchObject({ name: 'bigger' })
  })

  it.each(['pytest', 'unittest'] as const)(
    'tests in the style of %s, which pass, with what they do not notice',
    async (framework) => {
      const root = project()
      const { connection } = connect(root)
      const said: string[] = []
      connection.onProgress(new ProgressType<{ text: string }>(), 'token', ({ text }) => {
        said.push(text)
      })
      const made = await connection.sendRequest<{
        code: string
        test_file: string
        validation: object
        mutants: { killed: number; total: number }
      }>('generate_tests', {
        ...{
          function: { name: 'discount', filePath: sourcePath },
          projectRoot: root,
          framework,
          workDoneToken: 'token',
        },
      })
      expect(made.validation).toMatchObject({ valid: true, failed: 0 })
      expect(made.code).toContain(
        framework === 'unittest' ? 'class TestDiscount(unittest.TestCase):' : 'def test_discount_',
      )
      expect(made.mutants.killed).toBeGreaterThan(made.mutants.total * 0.7)
      expect(said.length).toBeGreaterThan(3)
      // Nothing is written before the editor does.
      const results = await connection.sendRequest<{ nodeid: string; outcome: string; duration: number }[]>(
        'run_tests',
        { testPath: made.test_file, text: made.code },
      )
      expect(results.every(({ outcome }) => outcome === 'passed')).toBe(true)
      expect(results[0]).toMatchObject({
        nodeid: expect.stringContaining(`${made.test_file}::`),
        duration: expect.any(Number),
      })
    },
  )

  it('tests of unittest beside tests of pytest, which stay as they are written', async () => {
    const own =
      'import pytest  # mine\n\nfrom shop.calc import bigger\n\n\n@pytest.fixture\ndef two():\n    return 2\n\n\ndef test_mine(two):\n    assert bigger(1, two) == two\n'
    const root = tddProject({ [sourcePath]: rightSource, 'tests/test_calc.py': own })
    const { connection } = connect(root)
    const made = await connection.sendRequest<{ code: string; test_file: string; validation: object }>(
      'generate_tests',
      { function: { name: 'discount', filePath: sourcePath }, framework: 'unittest' },
    )
    expect(made).toMatchObject({ test_file: 'tests/test_calc.py', validation: { valid: true, failed: 0 } })
    expect(made.code).toContain('class TestDiscount(unittest.TestCase):')
    for (const part of ['# mine', '@pytest.fixture', 'def test_mine(two):']) expect(made.code).toContain(part)
  })

  it('a test that fails, with its message and line', async () => {
    const root = project()
    writeIn(
      root,
      'tests/unit/test_calc.py',
      'from shop.calc import discount\n\n\ndef test_a():\n    assert discount(100, 10) == 1\n',
    )
    const { connection } = connect(root)
    expect(
      await connection.sendRequest('run_tests', { testPath: join(root, 'tests/unit/test_calc.py') }),
    ).toMatchObject([
      {
        nodeid: 'tests/unit/test_calc.py::test_a',
        outcome: 'failed',
        call: { longrepr: expect.stringContaining('90'), line: 5 },
      },
    ])
  })

  it('imports with what a test may have to replace, and the project around it', async () => {
    const root = tddProject({
      'src/shop/mail.py':
        'import os.path\nimport smtplib\nfrom datetime import timedelta\n\nfrom shop.calc import discount\n\n\ndef send(to, price):\n    with smtplib.SMTP("h") as server:\n        server.send(to, discount(price, 10), timedelta(1))\n    return open("x").read() + os.path.join("a", "b")\n',
      'tests/conftest.py':
        'import pytest\n\n\n@pytest.fixture\ndef shop():\n    """A shop."""\n    return 1\n',
    })
    const { connection } = connect(root)
    expect(
      await connection.sendRequest('analyze_imports', {
        file_path: 'src/shop/mail.py',
        function_name: 'send',
      }),
    ).toEqual({
      direct_imports: ['datetime.timedelta', 'os', 'shop.calc.discount', 'smtplib'],
      used_by_function: ['datetime.timedelta', 'os', 'shop.calc.discount', 'smtplib'],
      mock_candidates: ['builtins.open', 'smtplib.SMTP'],
    })
    expect(await connection.sendRequest('gather_project_context', {})).toMatchObject({
      test_framework: 'pytest',
      existing_patterns: [
        { file: 'tests/unit/test_bigger.py', test: expect.stringContaining('assert bigger') },
      ],
      conftest: { 'tests/conftest.py': [{ name: 'shop', docstring: 'A shop.' }] },
    })
  })

  it('leaves no folder behind where it ends while it works', async () => {
    const root = tddProject({
      'tests/unit/test_slow.py': 'import time\n\n\ndef test_slow():\n    time.sleep(50)\n',
    })
    const temporary = scratchFolder()
    const { connection, server } = connect(root, { TMPDIR: temporary })
    const ended = new Promise((resolve) => server.once('close', resolve))
    const slow = connection.sendRequest('run_tests', { testPath: 'tests/unit/test_slow.py' })
    slow.catch(() => undefined)
    await expect.poll(() => readdirSync(temporary).length, { timeout: 30_000 }).toBeGreaterThan(0)
    server.stdin?.end()
    expect(await ended).toBe(0)
    expect(readdirSync(temporary).filter((name) => name.startsWith('autotest-'))).toEqual([])
  })

  it('several things at once, and no longer what is cancelled', async () => {
    const root = tddProject({
      'tests/unit/test_slow.py': 'import time\n\n\ndef test_slow():\n    time.sleep(50)\n',
    })
    const { connection } = connect(root)
    const source = new CancellationTokenSource()
    const slow = connection.sendRequest('run_tests', { testPath: 'tests/unit/test_slow.py' }, source.token)
    const quick = connection.sendRequest('parse_file', { filePath: sourcePath })
    expect(await quick).toHaveLength(2)
    const started = performance.now()
    setTimeout(() => source.cancel(), 1500)
    await expect(slow).rejects.toMatchObject({ code: -32800 })
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
