import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import { needsPython } from '../needs.js'
import { removeFolders } from './sample.js'
import { killServers, connect as startConnection } from './serve-connection.js'
import {
  benchmarkPath,
  benchmarkText,
  drifted,
  driftedSnippet,
  goodSnippet,
  smallProject,
  snippetPath,
} from './small-project.js'
import { readIn, rightSource, sourcePath, tddProject, writeIn } from './tdd-project.js'

afterEach(killServers)
afterAll(removeFolders)

const connect = (root: string): MessageConnection => startConnection(root).connection

interface Cases {
  readonly isBenchmark: boolean
  readonly cases: readonly {
    readonly id: string
    readonly line: number
    readonly last?: { readonly run: string; readonly verdict: string; readonly hasPlan: boolean }
  }[]
}

describe('a benchmark in an editor', { timeout: 120_000 }, () => {
  it('shows its cases as they are written, with their last verdicts; other files are none', async () => {
    const root = smallProject(drifted)
    const connection = connect(root)
    const before = await connection.sendRequest<Cases>('cases', { filePath: benchmarkPath })
    expect(before.cases.map(({ id, line }) => [id, line])).toEqual([
      ['gmv_id', 2],
      ['gmv_th', 6],
      ['orders_id', 10],
    ])
    await connection.sendRequest('run', { ids: ['gmv_id'] })
    // Unsaved, with a case that is not complete yet.
    const text = `# mine\n${benchmarkText}  - question: new\n  - id: 17\n`
    const after = await connection.sendRequest<Cases>('cases', { filePath: benchmarkPath, text })
    expect(after.cases.map(({ id, line, last }) => [id, line, last?.verdict])).toEqual([
      ['gmv_id', 3, 'fail'],
      ['gmv_th', 7, undefined],
      ['orders_id', 11, undefined],
      ['17', 16, undefined],
    ])
    expect(await connection.sendRequest('cases', { filePath: benchmarkPath, text: 'cases: [' })).toEqual({
      isBenchmark: true,
      cases: [],
    })
    expect(await connection.sendRequest('cases', { filePath: 'kb/metrics/gmv.yaml' })).toEqual({
      isBenchmark: false,
      cases: [],
    })
    expect(await connection.sendRequest('why', { caseId: 'gmv_id', form: 'text' })).toContain('failed')
  })

  it('plans a repair, shows it as files, and writes it; its gate closes with it', async () => {
    const root = smallProject(drifted)
    const connection = connect(root)
    const { run } = await connection.sendRequest<{ run: { id: string } }>('run', {
      ids: ['gmv_id'],
      mode: 'dry_run',
    })
    expect(readFileSync(join(root, snippetPath), 'utf8')).toBe(driftedSnippet)
    const { cases } = await connection.sendRequest<Cases>('cases', { filePath: benchmarkPath })
    expect(cases[0]?.last).toMatchObject({ run: run.id, hasPlan: true })
    expect(await connection.sendRequest('plan', { run: run.id })).toMatchObject({
      run: run.id,
      repairs: [{ changes: [{ path: snippetPath, before: driftedSnippet, after: goodSnippet }] }],
    })
    expect(await connection.sendRequest('gates', {})).toHaveLength(1)
    await connection.sendRequest('apply_plan', { run: run.id })
    expect(readFileSync(join(root, snippetPath), 'utf8')).toBe(goodSnippet)
    expect(await connection.sendRequest('gates', {})).toEqual([])
    const again = await connection.sendRequest<Cases>('cases', { filePath: benchmarkPath })
    expect(again.cases[0]?.last?.hasPlan).toBe(false)
  })

  it('a rejected plan is not proposed again, and its gate is closed', async () => {
    const root = smallProject(drifted)
    const connection = connect(root)
    const plan = { ids: ['gmv_id'], mode: 'dry_run' }
    const { run } = await connection.sendRequest<{ run: { id: string } }>('run', plan)
    await connection.sendRequest('reject_plan', { run: run.id, reason: 'wanted so' })
    expect(await connection.sendRequest('gates', {})).toEqual([])
    const { cases } = await connection.sendRequest<Cases>('cases', { filePath: benchmarkPath })
    expect(cases[0]?.last?.hasPlan).toBe(false)
    const again = await connection.sendRequest<{ repairs: unknown[] }>('run', plan)
    expect(again.repairs).toEqual([])
    expect(readFileSync(join(root, snippetPath), 'utf8')).toBe(driftedSnippet)
  })

  it.each([
    ['an evaluation', 'evaluate'],
    ['no run', undefined],
  ] as const)('%s has no plan: an error says what to do', async (_what, mode) => {
    const connection = connect(smallProject(drifted))
    const made =
      mode === undefined
        ? undefined
        : await connection.sendRequest<{ run: { id: string } }>('run', { ids: ['gmv_id'], mode })
    await expect(connection.sendRequest('plan', { run: made?.run.id ?? 'r-0000' })).rejects.toMatchObject({
      code: -32000,
      data: { hint: expect.any(String) },
    })
  })
})

const tests = `from shop.calc import bigger, discount


def test_bigger():
    assert bigger(1, 2) == 2


class TestDiscount:
    def test_half(self):
        assert discount(100, 50) == 50
`
const testFile = 'tests/test_calc.py'

describe('tests in an editor', { ...needsPython, timeout: 180_000 }, () => {
  const project = (files: Readonly<Record<string, string>> = {}): string =>
    tddProject({ [sourcePath]: rightSource, [testFile]: tests, ...files })

  it('coverage: the lines that each test reaches, those of an import, and none of test files', async () => {
    const connection = connect(project())
    const covered = await connection.sendRequest<{ tests: unknown[]; files: Record<string, unknown>[] }>(
      'test_coverage',
      { testPath: testFile },
    )
    expect(covered.tests).toHaveLength(2)
    const file = covered.files.find(({ filePath }) => filePath === sourcePath)
    expect(file).toMatchObject({
      imported: [1, 8],
      executable_lines: [1, 3, 4, 5, 8, 9],
      tests: {
        [`${testFile}::test_bigger`]: [9],
        [`${testFile}::TestDiscount::test_half`]: [3, 5],
      },
    })
    expect(covered.files.map(({ filePath }) => filePath)).not.toContain(testFile)
  })

  it('runs some tests of a file, on texts that are not saved', async () => {
    const root = project()
    const connection = connect(root)
    const broken = rightSource.replace('a if a > b else b', 'a')
    const results = await connection.sendRequest('run_tests', {
      testPath: testFile,
      tests: ['test_bigger'],
      unsaved: [{ filePath: sourcePath, text: broken }],
    })
    expect(results).toMatchObject([{ nodeid: `${testFile}::test_bigger`, outcome: 'failed' }])
    expect(readIn(root, sourcePath)).toBe(rightSource)
  })

  it('a run is joined to the registry, and does not change its file', async () => {
    const registry = `${JSON.stringify(
      {
        version: 1,
        mappings: {
          'src/shop/calc.py::bigger': { testFile, testNames: ['test_bigger'] },
          'src/shop/calc.py::discount': { testFile, testNames: ['test_half'] },
        },
      },
      null,
      2,
    )}\n`
    const root = project({ 'autotest.registry.json': registry })
    const connection = connect(root)
    await connection.sendRequest('run_tests', { testPath: testFile, tests: ['test_bigger'] })
    const last = async (name: string): Promise<unknown> => {
      const { mappings } = await connection.sendRequest<{
        mappings: Record<string, { lastRun?: { status: string } }>
      }>('registry', {})
      return mappings[`${sourcePath}::${name}`]?.lastRun?.status
    }
    expect([await last('bigger'), await last('discount')]).toEqual(['passed', undefined])
    await connection.sendRequest('run_tests', {
      testPath: testFile,
      unsaved: [{ filePath: sourcePath, text: rightSource.replace('price - price', 'price + price') }],
    })
    expect([await last('bigger'), await last('discount')]).toEqual(['passed', 'failed'])
    expect(readIn(root, 'autotest.registry.json')).toBe(registry)
  })

  it('results that cannot be kept are told nevertheless, and the log says why', async () => {
    const registry = {
      version: 1,
      mappings: { [`${sourcePath}::bigger`]: { testFile, testNames: ['test_bigger'] } },
    }
    const root = project({ 'autotest.registry.json': JSON.stringify(registry), reports: 'a file\n' })
    const { connection, server } = startConnection(root)
    let said = ''
    server.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
    const results = await connection.sendRequest('run_tests', { testPath: testFile, tests: ['test_bigger'] })
    expect(results).toMatchObject([{ outcome: 'passed' }])
    await expect.poll(() => said).toMatch(/what became of the tests is not kept: .*reports/)
  })

  it('each generated test names all changes that it notices; accepted ones are recorded', async () => {
    const root = project()
    const connection = connect(root)
    const made = await connection.sendRequest<{
      test_file: string
      test_names: string[]
      tests: { name: string; code: string; kills: { number: number }[] }[]
      files: { path: string; after: string }[]
      mutants: { killed: number }
    }>('generate_tests', { function: { name: 'discount', filePath: sourcePath } })
    expect(made.tests.map(({ name }) => name)).toEqual(made.test_names)
    for (const { name, code } of made.tests) expect(code).toContain(`def ${name}(`)
    const killed = new Set(made.tests.flatMap(({ kills }) => kills.map(({ number }) => number)))
    expect(killed.size).toBeGreaterThan(0)
    expect(killed.size).toBeLessThanOrEqual(made.mutants.killed)
    for (const { path, after } of made.files) writeIn(root, path, after)
    await connection.sendRequest('record_tests', {
      filePath: sourcePath,
      function_name: 'discount',
      testPath: made.test_file,
      testNames: made.test_names,
    })
    const { mappings } = JSON.parse(readIn(root, 'autotest.registry.json') ?? '')
    expect(mappings[`${sourcePath}::discount`]).toMatchObject({ testFile: made.test_file })
  })

  it('a test for one change notices it; where none can, an error says so', async () => {
    const source = 'def sign(n: int) -> int:\n    return -1 if n < 0 else 1\n'
    const weak = 'from shop.sign import sign\n\n\ndef test_sign():\n    assert sign(5) == 1\n'
    const connection = connect(project({ 'src/shop/sign.py': source, 'tests/test_sign.py': weak }))
    const params = { filePath: 'src/shop/sign.py', function_name: 'sign', testPath: 'tests/test_sign.py' }
    const survivors = await connection.sendRequest<{ number: number }[]>('surviving_mutants', params)
    const mutant = survivors[0]?.number
    const made = await connection.sendRequest<{ tests: { kills: { number: number }[] }[] }>(
      'generate_tests',
      {
        function: { name: 'sign', filePath: 'src/shop/sign.py' },
        mutant,
      },
    )
    expect(made.tests.flatMap(({ kills }) => kills.map(({ number }) => number))).toContain(mutant)
    await expect(
      connection.sendRequest('generate_tests', {
        function: { name: 'sign', filePath: 'src/shop/sign.py' },
        mutant: 999,
      }),
    ).rejects.toMatchObject({ code: -32000, data: { code: 'tests_complete' } })
  })
})
