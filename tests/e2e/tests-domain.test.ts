import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Asked, type Policy, startChatServer } from '../llm/chat-server.js'
import { needsPython } from '../needs.js'
import { findPythonHere } from '../testgen/python-here.js'
import { autotest, removeFolders, scratchFolder } from './sample.js'

afterAll(removeFolders)

const here = findPythonHere()
const repository = resolve(import.meta.dirname, '../..')
const python = here === undefined ? [] : ['--python', here.python.executable]

const source = `def fee(weight: int, express: bool = False) -> int:
    """Cost of a parcel.

    >>> fee(3)
    5
    """
    if weight < 1:
        raise ValueError("no weight")
    cost = 5 if weight < 10 else 9
    return cost + 4 if express else cost


def double(x: int) -> int:
    """Twice as much.

    >>> double(2)
    5
    """
    return x * 2
`
const config = (model = 'rules') => `agent: { kind: subagent, model: '${model}' }
tests: { project: py, seconds: 0.7 }
`
const cases = `cases:
  - { kind: tests, id: fee, file: parcels.py, function: fee, tags: [parcels] }
`

/** A project of another kind than the sample: a flat package beside its tests. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const dir = scratchFolder()
  cpSync(join(repository, 'agents/test'), join(dir, 'agents/test'), { recursive: true })
  const all = {
    'autotest.config.yaml': config(),
    'benchmarks/parcels.yaml': cases,
    'py/parcels.py': source,
    'py/tests/test_other.py': '',
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}
const run = (dir: string, ...args: string[]) => autotest(dir, [...args, ...python])
const report = (dir: string, out: string) => {
  const id = /autotest (r-[0-9a-f]+)/.exec(out)?.[1] ?? ''
  return JSON.parse(readFileSync(join(dir, 'reports', id, 'report.json'), 'utf8'))
}
const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: dir,
    encoding: 'utf8',
  })

/** A repository whose last commit made a tool trim what it reads. */
function driftedProject() {
  const dir = project()
  git(dir, 'init', '-q')
  git(dir, 'add', '-A')
  git(dir, 'commit', '-qm', 'start')
  const path = join(dir, 'agents/test/tools/read_existing_tests.pym')
  const good = readFileSync(path, 'utf8')
  const trimmed = good.replace('"content": content,', '"content": content.strip(),')
  writeFileSync(path, trimmed)
  git(dir, 'commit', '-qam', 'trim')
  return { dir, path, good, trimmed }
}

const tests = `from parcels import fee
import pytest


@pytest.mark.parametrize("weight, cost", [(1, 5), (9, 5), (10, 9)])
def test_fee_weight_costs(weight, cost):
    assert fee(weight) == cost


def test_fee_express_costs_more():
    assert fee(1, express=True) == 9


def test_fee_no_weight_raises():
    with pytest.raises(ValueError, match="no weight"):
        fee(0)
`

/** A model that works as it should: looks, writes, runs, submits what it was told. */
const writer: Policy = ({ prompt }: Asked) => {
  if (!prompt.includes('return_type'))
    return {
      calls: [
        { name: 'analyze_signature', arguments: {} },
        { name: 'read_existing_tests', arguments: {} },
      ],
    }
  if (!prompt.includes('"success":true'))
    return { calls: [{ name: 'write_test_file', arguments: { content: tests, path: null } }] }
  if (!prompt.includes('"passed":5')) return { calls: [{ name: 'run_tests', arguments: { path: null } }] }
  const result = {
    summary: 'done',
    tests_generated: 5,
    tests_passing: 5,
    changed_files: ['tests/test_parcels.py'],
  }
  return { calls: [{ name: 'submit_result', arguments: result }] }
}

describe('an agent that writes tests', needsPython, () => {
  it('is asked, scored on mutants, and reported, without a model', async () => {
    const dir = project()
    const ended = await run(dir, '--no-repair', '--id', 'fee')
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('total=1 passed=1')])
    const [found] = report(dir, ended.out).cases
    expect(found).toMatchObject({
      kind: 'tests',
      verdict: 'pass',
      read: expect.arrayContaining(['agents/test/tools/run_tests.pym']),
    })
    expect(found.reason).toMatch(/^\d+ of \d+ killable mutants killed \(\d+ of all \d+\)$/)
    expect(found.sql).toContain('def test_fee_')
  })

  it.each([
    ['offered its tools', [] as const],
    ['that knows of no tools, by a schema', ['tools'] as const],
    ['that knows of neither, in text', ['tools', 'response_format'] as const],
  ])('may be a model %s', async (_what, refuses) => {
    const server = await startChatServer(writer, { refuses })
    try {
      const dir = project({
        'autotest.config.yaml': `${config('openai:m')}llm: { base_url: "${server.baseUrl}", key_env: null }\n`,
      })
      const ended = await run(dir, '--no-repair', '--id', 'fee')
      expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('passed=1')])
      // What a model of the tests domain says is charged as any other.
      expect(ended.out).toMatch(/llm_calls=[4-7] /)
    } finally {
      await server.close()
    }
  })

  it.each([
    [
      'never submits',
      () => ({ calls: [{ name: 'read_existing_tests', arguments: {} }] }),
      'did not submit in 20 turns',
    ],
    [
      'submits false counts',
      ({ prompt }: Asked) =>
        prompt.includes('"success":true')
          ? {
              calls: [
                {
                  name: 'submit_result',
                  arguments: { summary: 'x', tests_generated: 9, tests_passing: 9, changed_files: [] },
                },
              ],
            }
          : { calls: [{ name: 'write_test_file', arguments: { content: tests, path: null } }] },
      'submitted, and failed: the tests were never run; there are 0 tests, not 9',
    ],
    ['only talks', () => ({ text: 'I would test it.' }), 'it called no tool 2 times in a row'],
  ] as const)('fails a model that %s', async (_what, policy, words) => {
    const server = await startChatServer(policy as Policy)
    try {
      const dir = project({
        'autotest.config.yaml': `${config('openai:m')}llm: { base_url: "${server.baseUrl}", key_env: null }\n`,
      })
      const ended = await run(dir, '--no-repair', '--id', 'fee')
      expect(ended.code).toBe(1)
      expect(ended.out).toContain(words)
    } finally {
      await server.close()
    }
  })

  it('stops at an example in the docstring that does not hold', async () => {
    const dir = project({
      'benchmarks/parcels.yaml': cases
        .replace('id: fee,', 'id: double,')
        .replace('function: fee', 'function: double'),
    })
    const ended = await run(dir, '--id', 'double')
    expect(ended.code).toBe(1)
    expect(ended.out).toContain(
      'an example in the docstring does not hold, correct one of the two: double(2) gives 4, not 5',
    )
  })

  it('makes a case of each function of a folder', async () => {
    const dir = project({
      'benchmarks/parcels.yaml': 'cases:\n  - { kind: tests, id: all, file: ., tags: [all] }\n',
    })
    const ended = await run(dir, '--list', '--tags', 'all')
    expect(ended.out).toContain('all/parcels.py:fee')
    expect(ended.out).toContain('all/parcels.py:double')
  })

  it('repairs a tool from git, proves it, and commits nothing by itself', async () => {
    const { dir, path, good } = driftedProject()
    const ended = await run(dir, '--no-commit')
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('repaired=2 failed=0')])
    expect(ended.out).toContain('REPAIRED tool read_existing_tests (2 cases, E2)')
    expect(readFileSync(path, 'utf8')).toBe(good)
    const [repair] = report(dir, ended.out).repairs
    expect(repair).toMatchObject({ label: 'tool_fault', edits: [{ kind: 'edit_tool' }] })
    expect(repair.evidence.twins.passed).toBeGreaterThan(0)
  })

  it('does not propose again what a person rejected', async () => {
    const { dir, path, trimmed } = driftedProject()
    await run(dir, '--no-commit')
    const reverted = await autotest(dir, ['revert', 'last', '--reason', 'blanks are noise'])
    expect([reverted.code, readFileSync(path, 'utf8')]).toEqual([0, trimmed])
    const again = await run(dir, '--no-commit')
    expect([again.code, again.out]).toEqual([1, expect.stringContaining('blanks are noise')])
    expect(readFileSync(path, 'utf8')).toBe(trimmed)
  })

  it('repairs a tool without git, by what its probes say', async () => {
    const dir = project()
    const path = join(dir, 'agents/test/tools/read_existing_tests.pym')
    const good = readFileSync(path, 'utf8')
    writeFileSync(path, good.replace('["test_path"]', '["path"]'))
    const ended = await run(dir, '--dry-run')
    expect(ended.out).toContain('failed=0')
    expect(ended.out).toContain('path = (await target())["test_path"]')
    expect(readFileSync(path, 'utf8')).not.toBe(good)
  })
})

describe('a model that repairs tools', needsPython, () => {
  it('is asked where nothing else serves, and its text is proved', async () => {
    const good = readFileSync(join(repository, 'agents/test/tools/write_test_file.pym'), 'utf8')
    // No small change puts the check back.
    const unchecked =
      good.slice(0, good.indexOf('checked = await')) +
      'written = await write_file(path=place, text=content)\n\n{"success": written["written"], "path": place, "error": written["reason"]}\n'
    const server = await startChatServer(() => ({
      answer: { reasoning: 'syntax was not checked', script: good },
    }))
    try {
      const dir = project({
        'autotest.config.yaml': `${config()}llm: { base_url: "${server.baseUrl}", key_env: null }\n`,
        'agents/test/tools/write_test_file.pym': unchecked,
      })
      const ended = await run(dir, '--dry-run')
      expect(ended.out).toContain('failed=0')
      expect(server.asked[0]?.prompt).toContain('write_test_file said')
      const [repair] = report(dir, ended.out).repairs
      expect(repair).toMatchObject({
        title: 'tool write_test_file: syntax was not checked',
        cost: { llmCalls: 1 },
      })
    } finally {
      await server.close()
    }
  })

  it.each([
    ['knows a function of a case', '# fee\n', 'brings "fee" into'],
    ['is no tool script', 'import os\n', 'plan of the model rejected'],
  ])('is refused where its text %s', async (_what, added, words) => {
    const good = readFileSync(join(repository, 'agents/test/tools/submit.pym'), 'utf8')
    const lax =
      good.slice(0, good.indexOf('run = await')) +
      '{"status": "success", "summary": summary, "changed_files": changed_files, "details": {}, "error": None}\n'
    const server = await startChatServer(() => ({ answer: { reasoning: 'x', script: added + good } }))
    try {
      const dir = project({
        'autotest.config.yaml': `${config()}llm: { base_url: "${server.baseUrl}", key_env: null }\nrepair: { repairer: [llm] }\n`,
        'agents/test/tools/submit.pym': lax,
      })
      const ended = await run(dir, '--dry-run')
      expect([ended.code, report(dir, ended.out).repairs]).toEqual([1, []])
      expect(JSON.stringify(report(dir, ended.out).cases)).toContain(words.replaceAll('"', '\\"'))
    } finally {
      await server.close()
    }
  })
})

describe('what an agent did', needsPython, () => {
  it('is shown call by call', async () => {
    const dir = project()
    await run(dir, '--no-repair', '--id', 'fee')
    const why = await autotest(dir, ['why', 'fee', '--trace'])
    expect(why.out).toMatch(/turn 1 {2}analyze_signature \{\}\n {10}→ \{"function_name":"fee"/)
    expect(why.out).toContain('host: target, python_functions')
    expect(why.out.trimEnd().endsWith('submitted')).toBe(true)
  })

  it('is done again from the run, with the tools as they are now, and without a model', async () => {
    const dir = project({
      'benchmarks/parcels.yaml': `${cases}  - { kind: tests, id: size, file: parcels.py, function: fee }\n`,
    })
    const first = report(dir, (await run(dir, '--no-repair', '--id', 'fee')).out)
    const again = await run(dir, '--no-repair', '--id', 'fee', '--agent', 'trace:last')
    expect(again.code).toBe(0)
    expect(again.out).toContain('(trace:last)')
    const second = report(dir, again.out)
    expect(second.cases[0].verdict).toBe(first.cases[0].verdict)

    const other = await run(dir, '--no-repair', '--id', 'size', '--agent', 'trace:last')
    expect([other.code, other.out]).toEqual([
      3,
      expect.stringContaining('nothing is known of what the agent did for size in r-'),
    ])
    const unknown = await run(dir, '--no-repair', '--agent', 'trace:r-nope')
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('r-nope')])
  })
})

describe('cases and projects that are wrong', needsPython, () => {
  it.each([
    [
      'a file that is not there',
      cases.replace('parcels.py', 'letters.py'),
      'the Python project has no letters.py',
      2,
    ],
    [
      'a path out of the project',
      cases.replace('parcels.py', '../x.py'),
      'must be relative to the Python project',
      2,
    ],
    [
      'a function that is not there',
      cases.replace('function: fee', 'function: toll'),
      'parcels.py has no function toll',
      3,
    ],
    ['a score that is none', cases.replace('tags:', 'min_mutation_score: 80, tags:'), 'must be at most 1', 2],
    [
      'a case of another kind',
      'cases:\n  - { id: q, question: How many?, expected_sql: SELECT 1 }\n',
      'kind',
      2,
    ],
  ])('%s', async (_what, text, words, code) => {
    const ended = await run(project({ 'benchmarks/parcels.yaml': text }), '--no-repair', '--tags', 'parcels')
    expect(`${ended.out}${ended.err}`).toContain(words)
    expect(ended.code).toBe(code)
  })

  it.each([
    ['a syntax error', 'def fee(:\n', 'invalid syntax (parcels.py, line 1)'],
    [
      'a package that is absent',
      `import nothing_of_that_name\n${source}`,
      "cannot be imported: ModuleNotFoundError: No module named 'nothing_of_that_name'",
    ],
    ['an import that ends the program', `import os\nos._exit(3)\n${source}`, 'parcels.py cannot be imported'],
  ])('a module with %s', async (_what, text, words) => {
    const ended = await run(project({ 'py/parcels.py': text }), '--no-repair', '--id', 'fee')
    expect(ended.out).toContain(words)
    expect(ended.code).toBe(3)
  })

  it('a folder for tests that is a file', async () => {
    const dir = project()
    rmSync(join(dir, 'py/tests'), { recursive: true })
    writeFileSync(join(dir, 'py/tests'), 'mine')
    const ended = await run(dir, '--no-repair', '--id', 'fee')
    expect([ended.code, ended.out]).toEqual([3, expect.stringContaining('tests is a file')])
    expect(readFileSync(join(dir, 'py/tests'), 'utf8')).toBe('mine')
  })

  it.each([
    ['a generator that never ends', 'def fee(n: int):\n    while True:\n        yield n\n        n += 1\n'],
    ['recursion without end', 'def fee(n: int) -> int:\n    return fee(n + 1)\n'],
    ['a loop without end', 'def fee(n: int) -> int:\n    while True:\n        n += 1\n'],
  ])('%s is ended in its time', async (_what, text) => {
    const ended = await run(project({ 'py/parcels.py': text }), '--no-repair', '--id', 'fee')
    expect([0, 1, 3]).toContain(ended.code)
    expect(ended.out).toContain('total=1')
    expect(ended.err).not.toMatch(/Error:|\n {4}at /)
  })

  it.each([
    [
      'nested',
      'def outer():\n    def fee(x):\n        return x\n    return fee\n',
      'parcels.py has no function fee',
    ],
    ['in C', 'from math import gcd as fee\n', 'parcels.py has no function fee'],
  ])('a function that is %s', async (_what, text, words) => {
    const ended = await run(project({ 'py/parcels.py': text }), '--no-repair', '--id', 'fee')
    expect([ended.code, ended.out]).toEqual([3, expect.stringContaining(words)])
  })

  it('a source in another encoding is read in that, and stays as it is', async () => {
    const dir = project({
      'benchmarks/parcels.yaml': cases.replace('function: fee,', 'function: fee, buggy: bug.py,'),
      'py/bug.py': source.replace('weight < 10', 'weight < 9'),
    })
    const bytes = Buffer.from(`# -*- coding: latin-1 -*-\n# Gebühr\n${source}`, 'latin1')
    writeFileSync(join(dir, 'py/parcels.py'), bytes)
    const ended = await run(dir, '--no-repair', '--id', 'fee')
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('passed=1')])
    expect(readFileSync(join(dir, 'py/parcels.py')).equals(bytes)).toBe(true)
  })

  it('a probe that is wrong names file and line', async () => {
    const dir = project({
      'agents/test/tools/run_tests.probes.yaml': 'probes:\n  - { id: A b, output: 1 }\n',
    })
    const ended = await run(dir, '--no-repair')
    expect(ended.err).toContain('agents/test/tools/run_tests.probes.yaml:2')
    expect(ended.code).toBe(2)
  })
})
