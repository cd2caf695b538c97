import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { PythonWorker } from '../../../src/testgen/python/worker.js'
import {
  functionDescription,
  mutantScore,
  testRun,
  writtenTests,
} from '../../../src/testgen/python/worker-results.js'
import { needsPython } from '../../needs.js'
import { findPythonHere, pricing, pythonWorkers } from '../python-here.js'

const here = findPythonHere()
const { start, close } = pythonWorkers(here)
afterEach(close)

const describeFile = async (source: string) =>
  start({ 'm.py': source }).call('describe', { path: 'm.py' }, z.array(functionDescription), 20_000)

const score = (worker: PythonWorker, qualname: string, tests = ['tests/test_m.py']) =>
  worker.call('score_mutants', { path: 'm.py', qualname, tests, seconds: 30 }, mutantScore, 60_000)

describe('the functions of a file', needsPython, () => {
  it('are described with every kind of parameter, without self and cls', async () => {
    const found = await describeFile(`import typing
class A:
    @staticmethod
    def f(a, b: "int" = 1, /, *rest, c: float = 0.0, d=None, **more) -> "str": ...
    @classmethod
    async def g(cls, x): raise ValueError("x")
    def h(self, a, b=(1, 2)):
        # type: (int, tuple) -> bool
        yield 1
    @property
    def p(self): return 1
    @p.setter
    def p(self, value): pass
@typing.overload
def o(x: int) -> int: ...
@typing.overload
def o(x: str) -> str: ...
def o(x): return x
def outer():
    def inner(): pass
`)
    const of = Object.fromEntries(found.map((each) => [each.qualname, each]))
    expect(Object.keys(of)).toEqual(['A.f', 'A.g', 'A.h', 'A.p', 'o', 'outer', 'outer.<locals>.inner'])
    expect(
      of['A.f']?.parameters.map(({ name, kind, required, default_source: source }) => [
        name,
        kind,
        required,
        source,
      ]),
    ).toEqual([
      ['a', 'positional_only', true, null],
      ['b', 'positional_only', false, '1'],
      ['rest', 'var_positional', false, null],
      ['c', 'keyword_only', false, '0.0'],
      ['d', 'keyword_only', false, 'None'],
      ['more', 'var_keyword', false, null],
    ])
    expect(of['A.f']).toMatchObject({ role: 'staticmethod', returns: 'str' })
    expect(of['A.g']).toMatchObject({ role: 'classmethod', is_async: true, raises: ['ValueError'] })
    expect(of['A.h']).toMatchObject({ role: 'method', is_generator: true, returns: 'bool' })
    expect(of['A.h']?.parameters.map(({ name, type }) => [name, type])).toEqual([
      ['a', 'int'],
      ['b', 'tuple'],
    ])
    expect(of['A.p']).toMatchObject({ role: 'property', parameters: [] })
    expect(of['o']).toMatchObject({ overloads: true, parameters: [{ name: 'x', type: null }] })
    expect(of['outer.<locals>.inner']).toMatchObject({ is_nested: true })
  })

  it.each([
    ['a syntax error', 'def f(:\n', 'python_syntax', /^m\.py:1: /],
    ['an encoding that it does not have', '# -*- coding: nope -*-\n', 'python_syntax', /nope/],
  ])('%s is said with its place', async (_name, source, code, message) => {
    await expect(describeFile(source)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })

  it('of a file that is not there', async () => {
    const asked = start({}).call('describe', { path: 'none.py' }, z.unknown(), 20_000)
    await expect(asked).rejects.toMatchObject({ code: 'python_file' })
  })
})

describe('mutants', needsPython, () => {
  const tests = `from m import Cart, calculate_total, squares
def test_total():
    assert calculate_total(2.0, 3) == 6.0
def test_size():
    assert Cart([1]).size == 1
def test_label():
    assert Cart.label(0) == "empty"
def test_of():
    assert Cart.of(3) == 3
def test_squares():
    assert squares(4) == 14
`
  const files = { 'm.py': pricing, 'tests/test_m.py': tests }

  it.each([
    ['calculate_total', 'if quantity < 0:', 'if quantity >= 0:'],
    ['Cart.size', 'return len(self.items)', 'return None'],
    [
      'Cart.label',
      "return 'empty' if number == 0 else f'{number} items'",
      "return 'empty' if number != 0 else f'{number} items'",
    ],
    ['Cart.of', 'return len(cls(range(count)).items)', 'return None'],
    ['squares', 'return sum((number * number for number in range(limit)))', 'return None'],
  ])('of %s are put in its place, however it is wrapped', async (qualname, before, after) => {
    const found = await score(start(files), qualname)
    expect(found.reference.every(({ outcome }) => outcome === 'passed')).toBe(true)
    expect(found.mutants).toContainEqual(expect.objectContaining({ before, after, outcome: 'killed' }))
    expect(found.mutants.every(({ outcome }) => outcome !== 'not_run')).toBe(true)
  })

  it('that no test notices survive, with their line', async () => {
    const found = await score(start(files), 'calculate_total')
    const survivors = found.mutants.filter(({ outcome }) => outcome === 'survived')
    expect(survivors).toContainEqual(
      expect.objectContaining({ line: 10, before: 'if quantity < 0:', after: 'if quantity <= 0:' }),
    )
    expect(found.lines).not.toContain(11)
    expect(found.executable_lines).toContain(11)
  })

  it('that never end are ended, and count as noticed', async () => {
    const source = 'def f(n):\n    while n > 0:\n        n -= 1\n    return n\n'
    const found = await score(
      start({ 'm.py': source, 'tests/test_m.py': 'from m import f\ndef test_f():\n    assert f(3) == 0\n' }),
      'f',
    )
    expect(found.mutants).toContainEqual(
      expect.objectContaining({ after: 'n += 1', outcome: 'killed', by: 'timeout' }),
    )
  })

  it('are not made of what is equal to the original, nor twice', async () => {
    const found = await score(start(files), 'calculate_total')
    const texts = found.mutants.map(({ line, before, after }) => `${line} ${before} ${after}`)
    expect(new Set(texts).size).toBe(texts.length)
    expect(found.mutants.every(({ before, after }) => before !== after)).toBe(true)
  })

  it('are shown with what differs, however far down it is', async () => {
    const source = `def f(n):
    try:
        n = int(n)
    except ValueError:
        return -1
    else:
        pass
    return n
`
    const tests = 'from m import f\ndef test_f():\n    assert f("3") == 3\n'
    const found = await score(start({ 'm.py': source, 'tests/test_m.py': tests }), 'f')
    expect(found.mutants.length).toBeGreaterThan(2)
    expect(found.mutants.filter(({ before, after }) => before === after)).toEqual([])
    expect(found.mutants).toContainEqual(
      expect.objectContaining({ line: 4, before: 'return -1', after: 'raise', outcome: 'survived' }),
    )
  })
})

describe('tests', needsPython, () => {
  it('are reported one by one, with line and message', async () => {
    const text = `import pytest
def test_good(): pass
def test_bad():
    assert 1 == 2
@pytest.mark.skip
def test_skipped(): pass
@pytest.fixture
def broken(): raise RuntimeError("no database")
def test_error(broken): pass
`
    const run = await start({ 'tests/test_m.py': text }).call(
      'run_tests',
      { paths: ['tests/test_m.py'] },
      testRun,
      60_000,
    )
    expect(run.tests.map(({ test, outcome, line }) => [test.split('::')[1], outcome, line])).toEqual([
      ['test_good', 'passed', null],
      ['test_bad', 'failed', 4],
      ['test_skipped', 'skipped', null],
      ['test_error', 'error', 8],
    ])
    expect(run.tests[1]?.message).toContain('assert 1 == 2')
  })

  it('that cannot be collected are an error', async () => {
    const files = { 'tests/test_m.py': 'import nothing_of_that_name\n' }
    const run = await start(files).call('run_tests', { paths: ['tests/test_m.py'] }, testRun, 60_000)
    expect(run.errors[0]?.message).toContain("No module named 'nothing_of_that_name'")
  })

  it('that never end are ended in their time', async () => {
    const files = { 'tests/test_m.py': 'def test_f():\n    while True: pass\n' }
    const params = { paths: ['tests/test_m.py'], seconds: 1.5 }
    expect(await start(files).call('run_tests', params, testRun, 60_000)).toMatchObject({
      failure: 'timeout',
    })
  })

  it('that print do not disturb the answers', async () => {
    const files = { 'tests/test_m.py': 'import os\ndef test_f():\n    os.write(1, b"{}\\n"); print("[]")\n' }
    const run = await start(files).call('run_tests', { paths: ['tests/test_m.py'] }, testRun, 60_000)
    expect(run.tests).toMatchObject([{ outcome: 'passed' }])
  })
})

describe('a writer without a model', needsPython, () => {
  const write = (worker: PythonWorker, qualname: string, more: Record<string, unknown> = {}) =>
    worker.call(
      'write_tests',
      { path: 'm.py', qualname, existing: '', seconds: 1.5, seed: 1, ...more },
      writtenTests,
      60_000,
    )

  it.each([
    ['calculate_total', /pytest\.raises\(ValueError, match=r"\^negative quantity\$"\)/],
    ['Cart.label', /Cart\.label\(0\) == "empty"/],
    ['Cart.size', /Cart\(.*\)\.size == /],
    ['Cart.add', /\.items == /],
    ['squares', /squares\(/],
    ['fetch', /asyncio\.run\(fetch\(/],
    ['countdown', /list\(countdown\(3\)\) == \[3, 2, 1\]/],
  ])('tests %s', async (qualname, expected) => {
    const found = await write(start({ 'm.py': pricing }), qualname)
    expect(found.text).toMatch(expected)
    expect(found.killed.length / found.mutants).toBeGreaterThan(0.8)
    expect(found.text).toMatch(/^"""Tests of m\.\n\nCharacterization tests/)
  })

  it('writes the same for the same seed', async () => {
    const [one, other] = [
      await write(start({ 'm.py': pricing }), 'Cart.label'),
      await write(start({ 'm.py': pricing }), 'Cart.label'),
    ]
    expect(one.text).toBe(other.text)
  })

  it('adds to a file what its tests do not cover, and changes nothing of it', async () => {
    const existing =
      '"""Mine."""\nfrom m import Cart\n\n\ndef test_cart_label_0_returns_empty():\n    assert Cart.label(0) == "empty"\n'
    const found = await write(start({ 'm.py': pricing }), 'Cart.label', { existing, covered: [0] })
    expect(found.text.startsWith(existing)).toBe(true)
    expect(found.names).not.toContain('test_cart_label_0_returns_empty')
  })

  it('says which example of the docstring does not hold', async () => {
    const source = 'def f(n: int) -> int:\n    """Double.\n\n    >>> f(2)\n    5\n    """\n    return n * 2\n'
    expect((await write(start({ 'm.py': source }), 'f')).failing_doctests).toEqual(['f(2) gives 4, not 5'])
  })

  it.each([
    [
      'an import that fails',
      'import nothing_of_that_name\ndef f(n): return n\n',
      'python_failed',
      /nothing_of_that_name/,
    ],
    [
      'an import that ends the process',
      'import os\nos._exit(3)\ndef f(n): return n\n',
      'python_failed',
      /exit code|ended/,
    ],
  ])('says of %s what it is', async (_name, source, code, message) => {
    await expect(write(start({ 'm.py': source }), 'f')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })
})
