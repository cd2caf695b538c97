import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsPython } from '../needs.js'
import { findPythonHere, pricing } from '../testgen/python-here.js'
import { autotest, removeFolders, scratchFolder } from './sample.js'

afterAll(removeFolders)

const here = findPythonHere()

function project(files: Readonly<Record<string, string>>): string {
  const dir = scratchFolder()
  for (const [path, text] of Object.entries({ 'pyproject.toml': '', ...files })) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

function git(dir: string, ...args: string[]): string {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  return execFileSync('git', [...who, ...args], { cwd: dir, encoding: 'utf8' })
}

const read = (dir: string, path: string): string => readFileSync(join(dir, path), 'utf8')
const python = here === undefined ? [] : ['--python', here.python.executable]
const generate = (dir: string, ...args: string[]) =>
  autotest(dir, ['generate', ...args, '--seconds', '0.7', ...python])

describe('autotest generate', needsPython, () => {
  it('writes tests of one function, which pass, and says what they notice', async () => {
    const dir = project({ 'src/pricing.py': pricing, 'tests/test_other.py': '' })
    const run = await generate(dir, 'src/pricing.py::calculate_total')
    expect([run.code, run.err]).toEqual([0, ''])
    expect(run.out).toMatch(/^autotest generate: Python 3\.\d+\.\d+ /)
    expect(run.out.split('\n')[0]).toContain(here?.sandbox.description)
    expect(run.out).toMatch(
      /src\/pricing\.py::calculate_total: \d+ tests, \d+ of \d+ mutants killed \(\d+%\)/,
    )
    expect(run.out).toContain('wrote tests/test_pricing.py (new, ')
    expect(read(dir, 'tests/test_pricing.py')).toContain('from pricing import calculate_total\n')
    expect(existsSync(join(dir, '.autotest/journal/000001.done.json'))).toBe(false)
    const again = await generate(dir, 'src/pricing.py::calculate_total')
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no new tests')])
  })

  it('writes to the folder of the configuration; rora_tests gets what it is expected to have', async () => {
    const config = 'engine: sqlite:x.sqlite\ntests: { folder: rora_tests }\n'
    const dir = project({ 'src/pricing.py': pricing, 'autotest.config.yaml': config })
    const run = await generate(dir, 'src/pricing.py::calculate_total')
    expect(run.out).toContain('wrote rora_tests/test_pricing.py (new, ')
    expect(read(dir, 'rora_tests/__init__.py')).toBe('')
    expect(read(dir, 'rora_tests/conftest.py')).toContain('Fixtures')
    // A folder that is named on the command line comes before it.
    await generate(dir, 'src/pricing.py::calculate_total', '--tests-dir', 'checks')
    expect(existsSync(join(dir, 'checks/test_pricing.py'))).toBe(true)
    expect(existsSync(join(dir, 'checks/__init__.py'))).toBe(false)
  })

  it('takes the public functions of a folder, and extends the test file of a module', async () => {
    const mine = 'from shop.pricing import Cart\n\n\ndef test_mine():\n    assert Cart([1]).size == 1\n'
    const dir = project({
      'shop/__init__.py': '',
      'shop/pricing.py': pricing,
      'shop/_own.py': 'def _f(): return 1\n',
      'checks/test_pricing.py': mine,
    })
    const run = await generate(dir, 'shop')
    expect(run.out).toContain('wrote checks/test_pricing.py (extended, ')
    // Each line that was there is there still, and alone.
    expect(read(dir, 'checks/test_pricing.py')).toContain('\nfrom shop.pricing import Cart\n')
    expect(read(dir, 'checks/test_pricing.py')).toContain(
      'def test_mine():\n    assert Cart([1]).size == 1\n',
    )
    expect(run.out).not.toContain('_f')
    expect(run.code).toBe(0)
  })

  it('--tests-dir beside-source writes beside the module', async () => {
    const dir = project({ 'src/shop/__init__.py': '', 'src/shop/pricing.py': pricing })
    const run = await generate(dir, 'src/shop/pricing.py::calculate_total', '--tests-dir', 'beside-source')
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('wrote src/shop/test_pricing.py (new, ')])
    expect(read(dir, 'src/shop/test_pricing.py')).toContain('from shop.pricing import calculate_total\n')
  })

  it('--changed takes the functions with lines that differ from the last commit', async () => {
    const dir = project({
      'm.py': 'def one(n: int) -> int:\n    return n + 1\n\n\ndef two(n: int) -> int:\n    return n + 2\n',
    })
    git(dir, 'init', '-q')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-qm', 'first')
    expect((await generate(dir, '--changed')).code).toBe(5)
    writeFileSync(join(dir, 'm.py'), read(dir, 'm.py').replace('n + 2', 'n + 3'))
    const run = await generate(dir, '--changed')
    expect([run.code, run.out.includes('::two'), run.out.includes('::one')]).toEqual([0, true, false])
  })

  it('--dry-run shows the tests and writes nothing', async () => {
    const dir = project({ 'm.py': 'def one(n: int) -> int:\n    return n + 1\n' })
    const run = await generate(dir, 'm.py', '--dry-run')
    expect(run.out).toMatch(/would write tests\/test_m\.py \(new, .*\n"""Tests of m\./)
    expect([run.code, existsSync(join(dir, 'tests'))]).toEqual([0, false])
  })

  it('takes another file where another module has the one of that name', async () => {
    const dir = project({
      'a/util.py': 'def one(n: int) -> int:\n    return n + 1\n',
      'tests/test_util.py': 'from b.util import two\n',
    })
    expect((await generate(dir, 'a/util.py')).out).toContain('wrote tests/test_a_util.py')
  })

  it('imports modules that git ignores and the project needs', async () => {
    const dir = project({
      '.gitignore': '_version.py\nbuild/\n',
      'shop/__init__.py': 'from ._version import version\n',
      'shop/_version.py': 'version = "1.2"\n',
      'shop/cart.py':
        'from . import version\n\n\ndef label(n: int) -> str:\n    return f"{version}-{n + 1}"\n',
    })
    git(dir, 'init', '-q')
    git(dir, 'add', '-A')
    const run = await generate(dir, 'shop/cart.py')
    expect([run.code, run.err]).toEqual([0, ''])
    expect(run.out).toMatch(/shop\/cart\.py::label: \d+ tests?/)
    // They are the project's, and nothing of them is git's.
    expect(git(dir, 'status', '--short')).not.toContain('_version.py')
  })

  it('shows an example of a docstring that does not hold as a suspect, and has no test of that input', async () => {
    const dir = project({
      'm.py':
        'def bad(n: int) -> int:\n    """\n    >>> bad(1)\n    3\n    """\n    return n + 1\n\n\ndef good(n: int) -> int:\n    return n * 3\n',
    })
    const run = await generate(dir, 'm.py')
    expect(run.out).toMatch(/m\.py::bad: \d+ tests?, .*\n {5}suspect {3}bad\(1\) gives 2, not 3\n/)
    expect(read(dir, 'tests/test_m.py')).not.toContain('bad(1)')
    expect(run.out).toMatch(/m\.py::good: \d+ test/)
    expect(run.code).toBe(1)
  })

  it('names why a function has no tests, with an exit code of 1, and writes those of the others', async () => {
    const dir = project({
      'm.py':
        'import random\n\n\nclass Never:\n    def __init__(self, n: int) -> None:\n        raise ValueError("no")\n\n\ndef takes(value: Never, n: int) -> int:\n    return n + 1\n\n\ndef luck(n: int) -> float:\n    return n + random.SystemRandom().random()\n\n\ndef good(n: int) -> int:\n    return n * 3\n\n\ndef none_of_it() -> None:\n    pass\n',
    })
    const run = await generate(dir, 'm.py')
    expect(run.out).toMatch(
      /m\.py::takes: no tests: no Never could be made \(ValueError: no\) \(\d+ mutants\)/,
    )
    expect(run.out).toMatch(/m\.py::luck: no tests: its outcome changes from call to call .* \(\d+ mutants\)/)
    expect(run.out).toMatch(/m\.py::good: \d+ tests/)
    expect(run.out).toMatch(/m\.py::none_of_it: 1 test, no mutants/)
    // The mutants of functions without tests are counted, and live.
    expect(run.out).not.toMatch(/functions .*\(100%\)/)
    expect(run.code).toBe(1)
    const again = await generate(dir, 'm.py::none_of_it', 'm.py::good')
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('by those that are already in')])
  })

  it.each([
    ['nothing of that name', ['m.py::two'], 'm.py has no function two\n       It has one.'],
    ['no such file', ['n.py'], 'n.py: there is no such file'],
    ['outside of the project', ['../x.py'], '../x.py is outside of the project'],
    ['a syntax error', ['broken.py::f'], 'broken.py:1: '],
    ['no time', ['m.py', '--seconds', '0'], '--seconds must be more than 0'],
  ])('%s is an error with exit code 2', async (_name, args, message) => {
    const dir = project({ 'm.py': 'def one(n: int) -> int:\n    return n + 1\n', 'broken.py': 'def f(:\n' })
    const run = await autotest(dir, ['generate', ...args, ...python])
    expect([run.code, run.err]).toEqual([2, expect.stringContaining(message)])
  })

  it('loses nothing to a function that ends the process above it: it is out of its reach, or started again', async () => {
    const dir = project({
      'm.py':
        'import os\n\n\ndef one(n: int) -> int:\n    return n + 1\n\n\ndef two(n: int) -> int:\n    os.kill(os.getppid(), 9)\n    return n\n\n\ndef three(n: int) -> int:\n    return n\n',
    })
    const run = await generate(dir, 'm.py')
    expect(read(dir, 'tests/test_m.py')).toContain('one(')
    expect(run.out).toMatch(/m\.py::two: /)
    expect(run.out).toMatch(/m\.py::three: \d+ tests/)
    expect(read(dir, 'tests/test_m.py')).toContain('three(')
  })

  it('does not overwrite a test file that changed while it worked', async () => {
    const dir = project({
      'm.py': 'def one(n: int) -> int:\n    return n + 1\n',
      'tests/test_m.py': 'from m import one\n',
    })
    const running = generate(dir, 'm.py')
    await new Promise((resolve) => setTimeout(resolve, 900))
    writeFileSync(join(dir, 'tests/test_m.py'), 'from m import one\n# mine\n')
    const run = await running
    if (run.code === 0) return // It was read after the change.
    expect([run.code, read(dir, 'tests/test_m.py')]).toEqual([1, 'from m import one\n# mine\n'])
  })
})

describe('autotest mutants', needsPython, () => {
  const tests = 'from m import one\n\n\ndef test_one():\n    assert one(1) == 2\n    assert one(5) == 6\n'
  const files = { 'm.py': 'def one(n: int) -> int:\n    return n + 1\n', 'tests/test_m.py': tests }

  it('exits with 0 where every mutant is killed, and shows who noticed with --all', async () => {
    const run = await autotest(project(files), ['mutants', 'm.py::one', '--all', ...python])
    expect(run.out).toMatch(/killed by test_one {2}line 2 {2}return n \+ 1 {2}→ {2}return n - 1/)
    expect(run.out).toMatch(
      /m\.py::one {2}tests\/test_m\.py {2}(\d+) of \1 mutants killed \(100%\) {2}1 of 1 lines reached/,
    )
    expect(run.code).toBe(0)
  })

  it.each([
    [
      'a survivor',
      'from m import one\n\n\ndef test_one():\n    one(1)\n',
      /survived {2}line 2 {2}return n \+ 1 {2}→ {2}return None/,
    ],
    [
      'a test that fails',
      tests.replace('== 6', '== 7'),
      /test_one: fails on the function as it is: assert 6 == 7/,
    ],
  ])('%s is exit code 1', async (_name, text, expected) => {
    const run = await autotest(project({ ...files, 'tests/test_m.py': text }), [
      'mutants',
      'm.py::one',
      ...python,
    ])
    expect(run.out).toMatch(expected)
    expect(run.code).toBe(1)
  })

  it.each([
    ['no function', ['m.py'], 'm.py names no function'],
    ['no test file', ['m.py::one', '--tests', 'tests/none.py'], 'there is no test file tests/none.py'],
  ])('%s is exit code 2', async (_name, args, message) => {
    const run = await autotest(project(files), ['mutants', ...args, ...python])
    expect([run.code, run.err]).toEqual([2, expect.stringContaining(message)])
  })
})

it('without Python says how to get one', async () => {
  const run = await autotest(project({ 'm.py': '' }), ['generate', '--python', '/nope/python3'])
  expect(run.err).toMatch(
    /no Python 3\.9 or newer was found \(\/nope\/python3 .*\n.*apt-get install python3 python3-pytest/,
  )
  expect(run.code).toBe(2)
})
