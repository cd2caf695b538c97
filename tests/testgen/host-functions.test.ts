import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runToolScript } from '../../src/subagent/script/run-tool-script.js'
import { readToolScript } from '../../src/subagent/script/script-format.js'
import { createTestingHost, type TestingHost } from '../../src/testgen/host-functions.js'
import { startPythonWorker } from '../../src/testgen/python/worker.js'
import { needsPython } from '../needs.js'
import { findPythonHere, pricing, pythonProject } from './python-here.js'

const here = findPythonHere()
const scripts = resolve(import.meta.dirname, '../../agents/test')
const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

interface Work {
  readonly folder: string
  readonly host: TestingHost
  /** Runs one of the scripts that come with the program. */
  run(script: string, args?: Record<string, unknown>): ReturnType<typeof runToolScript>
}

function work(files: Readonly<Record<string, string>>, qualname = 'calculate_total'): Work {
  if (here === undefined) throw new Error('there is no Python')
  const project = pythonProject(files)
  open.push(project.remove)
  const { signal } = new AbortController()
  const worker = startPythonWorker({ ...here, workspace: project.folder, signal })
  open.push(() => worker.close())
  const target = { path: 'pricing.py', qualname, testPath: 'tests/test_pricing.py' }
  const host = createTestingHost({ worker, target, writable: ['tests'] })
  return {
    folder: project.folder,
    host,
    run: async (script, args = {}) =>
      runToolScript(
        await readToolScript(readFileSync(join(scripts, script), 'utf8')),
        args,
        host.functions,
        signal,
      ),
  }
}

it('in a folder with the sources, tests are all that a role may write', () => {
  const target = { path: 'src/pricing.py', qualname: 'f', testPath: 'src/test_pricing.py' }
  const worker = { call: () => Promise.reject(new Error('not asked')), close: async () => undefined }
  const { mayWrite } = createTestingHost({ worker, target, writable: ['src'] })
  expect(['src/test_pricing.py', 'src/pricing_test.py'].map(mayWrite)).toEqual([true, true])
  const others = [
    'src/pricing.py',
    'src/other.py',
    'src/conftest.py',
    'test_pricing.py',
    'src/../src/pricing.py',
  ]
  expect(others.map(mayWrite)).toEqual(others.map(() => false))
})

const files = { 'pricing.py': pricing }
const good =
  'from pricing import calculate_total\n\n\ndef test_total():\n    assert calculate_total(2.0, 3) == 6.0\n'

describe('analyze_signature', needsPython, () => {
  it('says parameters, types and defaults of a typed function', async () => {
    const found = await work(files).run('tools/analyze_signature.pym')
    expect(found).toMatchObject({
      kind: 'done',
      value: {
        function_name: 'calculate_total',
        parameters: [
          { name: 'price', type: 'float', default: null, required: true },
          { name: 'quantity', type: 'int', default: 1, required: false },
          { name: 'discount', type: 'float', default: 0, default_source: '0.0', kind: 'keyword_only' },
        ],
        return_type: 'float',
        is_async: false,
        raises: ['ValueError'],
      },
    })
  })

  it('says null for types that are not there', async () => {
    const found = await work({ 'pricing.py': 'def calculate_total(a, b=[]):\n    return a\n' }).run(
      'tools/analyze_signature.pym',
    )
    expect(found).toMatchObject({
      value: { return_type: null, parameters: [{ type: null }, { type: null, default: [] }] },
    })
  })

  it('says which function is not there', async () => {
    const found = await work(files, 'nothing').run('tools/analyze_signature.pym')
    expect(found).toMatchObject({
      kind: 'failed',
      message: 'ValueError: there is no function nothing in pricing.py',
    })
  })
})

describe('read_existing_tests', needsPython, () => {
  it('returns the exact text, or none', async () => {
    const text = '  # ü\r\n\tx = 1  \n\n'
    expect(
      await work({ ...files, 'tests/test_pricing.py': text }).run('tools/read_existing_tests.pym'),
    ).toMatchObject({
      value: { content: text, path: 'tests/test_pricing.py' },
    })
    expect(await work(files).run('tools/read_existing_tests.pym')).toMatchObject({
      value: { content: '', path: null },
    })
  })
})

describe('write_test_file', needsPython, () => {
  it('writes to the workspace', async () => {
    const made = work(files)
    const found = await made.run('tools/write_test_file.pym', { content: good, path: null })
    expect(found).toMatchObject({ value: { success: true, path: 'tests/test_pricing.py' } })
    expect(readFileSync(join(made.folder, 'tests/test_pricing.py'), 'utf8')).toBe(good)
    expect(made.host.writtenFiles()).toEqual(['tests/test_pricing.py'])
  })

  it.each([
    ['a syntax error', 'def f(:\n', 'tests/test_pricing.py', 'line 1: '],
    [
      'another place than the role has',
      good,
      'pricing.py',
      'the role may write only to tests, not to pricing.py',
    ],
    [
      'another place, in a roundabout way',
      good,
      'tests/../pricing.py',
      'the role may write only to tests, not to pricing.py',
    ],
  ])('refuses %s, and writes nothing', async (_name, content, path, error) => {
    const made = work(files)
    const found = await made.run('tools/write_test_file.pym', { content, path })
    expect(found).toMatchObject({ value: { success: false, error: expect.stringContaining(error) } })
    expect(made.host.writtenFiles()).toEqual([])
    expect(readFileSync(join(made.folder, 'pricing.py'), 'utf8')).toBe(pricing)
  })

  it.each(['../outside.py', '/outside.py'])('refuses %s, outside of the workspace', async (path) => {
    const found = await work(files).run('tools/write_test_file.pym', { content: good, path })
    expect(found).toMatchObject({
      value: { success: false, error: expect.stringContaining('is outside of the workspace') },
    })
  })
})

describe('a link out of the workspace', needsPython, () => {
  it('leads neither reading nor writing out of the sandbox', async () => {
    const secret = pythonProject({ 'key.py': 'SECRET = 1\n' })
    open.push(secret.remove)
    const made = work(files)
    mkdirSync(join(made.folder, 'tests'), { recursive: true })
    symlinkSync(join(secret.folder, 'key.py'), join(made.folder, 'tests/test_pricing.py'))
    expect(await made.run('tools/read_existing_tests.pym')).toMatchObject({
      value: { content: '', path: null },
    })
    await made.run('tools/write_test_file.pym', { content: good, path: null })
    expect(readFileSync(join(secret.folder, 'key.py'), 'utf8')).toBe('SECRET = 1\n')
  })
})

describe('run_tests', needsPython, () => {
  it.each([
    ['that pass', good, { status: 'passed', passed: 1, failed: 0, errors: 0, failures: [] }],
    [
      'that fail, with message and line',
      good.replace('== 6.0', '== 7.0'),
      {
        status: 'failed',
        passed: 0,
        failed: 1,
        failures: [{ test: 'test_total', line: 5, message: expect.stringContaining('6.0 == 7.0') }],
      },
    ],
    ['that cannot be collected', 'import nothing_of_that_name\n', { status: 'failed', passed: 0, errors: 1 }],
    ['that are none', '# nothing\n', { status: 'failed', passed: 0, errors: 0 }],
    [
      'that are skipped',
      'import pytest\n@pytest.mark.skip\ndef test_a(): pass\n',
      { status: 'failed', skipped: 1 },
    ],
  ])('reports tests %s', async (_name, text, expected) => {
    const found = await work({ ...files, 'tests/test_pricing.py': text }).run('tools/run_tests.pym')
    expect(found).toMatchObject({ kind: 'done', value: expected })
  })
})

describe('submit', needsPython, () => {
  const claim = {
    summary: 's',
    tests_generated: 1,
    tests_passing: 1,
    changed_files: ['tests/test_pricing.py'],
  }
  const made = async (): Promise<Work> => {
    const begun = work(files)
    await begun.run('tools/write_test_file.pym', { content: good, path: null })
    await begun.run('tools/run_tests.pym', { path: null })
    return begun
  }

  it('returns the counts and files of the harness', async () => {
    expect(await (await made()).run('tools/submit.pym', claim)).toMatchObject({
      value: {
        status: 'success',
        summary: 's',
        changed_files: ['tests/test_pricing.py'],
        details: { tests_generated: 1, tests_passing: 1 },
        error: null,
      },
    })
  })

  it.each([
    ['more tests', { tests_generated: 3 }, 'there are 1 tests, not 3'],
    ['more that pass', { tests_passing: 2 }, '1 tests pass, not 2'],
    ['other files', { changed_files: ['pricing.py'] }, 'the files written are tests/test_pricing.py'],
  ])('fails a claim of %s', async (_name, more, error) => {
    const found = await (await made()).run('tools/submit.pym', { ...claim, ...more })
    expect(found).toMatchObject({
      value: { status: 'failed', error: expect.stringContaining(error), details: { tests_generated: 1 } },
    })
  })

  it('fails where the tests were never run', async () => {
    const found = await work(files).run('tools/submit.pym', {
      ...claim,
      tests_generated: 0,
      tests_passing: 0,
      changed_files: [],
    })
    expect(found).toMatchObject({ value: { status: 'failed', error: 'the tests were never run' } })
  })
})

describe('pytest_config', needsPython, () => {
  it.each([
    ['pytest.ini', { 'pytest.ini': '[pytest]\naddopts = -q\n' }, '[pytest]\naddopts = -q'],
    [
      'pyproject.toml, without what follows',
      {
        'pyproject.toml':
          '[tool.black]\nx = 1\n[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\ny = 1\n',
      },
      '[tool.pytest.ini_options]\naddopts = "-q"',
    ],
    [
      'the first that has a section',
      { 'tox.ini': '[tox]\n', 'setup.cfg': '[tool:pytest]\na = 1\n' },
      '[tool:pytest]\na = 1',
    ],
    ['none', { 'setup.cfg': '[metadata]\n' }, ''],
  ])('returns %s', async (_name, more, expected) => {
    expect(await work({ ...files, ...more }).run('context/pytest_config.pym')).toMatchObject({
      kind: 'done',
      value: expected,
    })
  })
})
