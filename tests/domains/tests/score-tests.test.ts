import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { killableMutants } from '../../../src/domains/tests/killable-mutants.js'
import { createSessionPool, openPythonSession } from '../../../src/domains/tests/python-sessions.js'
import { withTestFile } from '../../../src/domains/tests/run-test-file.js'
import { type ScoredTests, scoreTests } from '../../../src/domains/tests/score-tests.js'
import { needsPython } from '../../needs.js'
import { pythonProject, requirePythonHere } from '../../testgen/python-here.js'

const { signal } = new AbortController()

const source = `import random


def clamp(value: int, low: int = 0, high: int = 10) -> int:
    """Value within two bounds.

    >>> clamp(12)
    10
    """
    if low > high:
        raise ValueError("bounds")
    if value < low:
        return low
    if value > high:
        return high
    return value


def wrong(value: int) -> int:
    """Twice as much.

    >>> wrong(2)
    5
    """
    return value * 2


def draw(value: int) -> int:
    return random.randint(0, 10**9)


class Box:
    def __init__(self, size: int) -> None:
        self.size = size

    def grow(self, by: int) -> None:
        self.size += by * 2
`
const buggy = source.replace('if value > high:', 'if value >= high + 2:')
const good = `import pytest

from bounds import clamp


def test_clamp_below_returns_low():
    assert clamp(-1) == 0
    assert clamp(1, 1) == 1


def test_clamp_inside_returns_value():
    assert clamp(0) == 0
    assert clamp(5) == 5
    assert clamp(10) == 10


def test_clamp_above_returns_high():
    assert clamp(11) == 10
    assert clamp(9, 0, 8) == 8


def test_clamp_bounds_raises():
    with pytest.raises(ValueError, match="^bounds$"):
        clamp(1, 2, 1)


def test_clamp_equal_bounds_returns_it():
    assert clamp(4, 3, 3) == 3
`
const imports = 'import pytest\nfrom bounds import clamp\nimport bounds\n\n\n'
const test = (body: string, name = 'test_clamp_any_works', head = ''): string =>
  `${imports}${head}def ${name}():\n${body.replaceAll(/^/gm, '    ')}\n`

describe('the score of tests', needsPython, async () => {
  const project = pythonProject({ 'bounds.py': source })
  const sessions = createSessionPool(() =>
    openPythonSession({ root: project.folder, files: ['bounds.py'], ...requirePythonHere() }, [], signal),
  )
  afterAll(async () => {
    await sessions.close()
    project.remove()
  })
  const known = new Map<string, Promise<ReadonlySet<number>>>()

  const score = (text: string, over: Partial<ScoredTests> = {}, qualname = 'clamp') =>
    sessions.use(async (session) => {
      const tested = { path: 'bounds.py', qualname, testPath: 'tests/test_bounds.py' }
      const killable = known.get(qualname) ?? killableMutants(session, tested, undefined, 0.7)
      known.set(qualname, killable)
      const before = over.before
      if (before !== undefined) {
        mkdirSync(dirname(join(session.folder, tested.testPath)), { recursive: true })
        writeFileSync(join(session.folder, tested.testPath), before)
      }
      const set = await killable
      return withTestFile(session, tested, text, before, (file) =>
        scoreTests(
          {
            text,
            before: '',
            spec: '',
            threshold: 0.8,
            buggy: undefined,
            killable: set,
            ...over,
          },
          file,
        ),
      )
    })

  it('passes good tests, with what they reach', async () => {
    const found = await score(good, { buggy })
    expect(found).toMatchObject({ verdict: 'pass', by: 'results' })
    expect(found.reason).toMatch(/killable mutants killed .*; the bug is caught$/)
    expect(found.findings).toMatchObject({
      newTests: 5,
      catchesBug: true,
      lines: { taken: 7, total: 7 },
      branches: { taken: 6, total: 6 },
      problems: [],
    })
  })

  it('fails tests that let killable mutants survive, with one of them', async () => {
    const found = await score(test('assert clamp(5) == 5'))
    expect(found.verdict).toBe('fail')
    expect(found.reason).toMatch(/killable mutants killed .*, 0\.8 is asked for; line \d+: .* → .* survives/)
  })

  it('fails tests that do not notice the bug', async () => {
    const rare = source.replace('if value > high:', 'if high < value < 100:')
    const found = await score(good, { buggy: rare })
    expect(found).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('no test notices the bug'),
    })
  })

  it('cannot prove tests of a function without killable mutants', async () => {
    const found = await score(good, { killable: new Set() })
    expect(found).toMatchObject({
      verdict: 'unproven',
      reason: expect.stringContaining('no mutant is known'),
    })
  })

  it('is an error where a failing test says what the docstring, or the specification, says', async () => {
    const said = `from bounds import wrong\n\n\ndef test_wrong_two_returns_five():\n    assert wrong(2) == 5\n`
    expect(await score(said, {}, 'wrong')).toMatchObject({ verdict: 'error', errorCause: 'suspect_oracle' })
    const spec = 'clamp(3, 4) == 3 because low does not count'
    expect(await score(test('assert clamp(3, 4) == 3'), { spec })).toMatchObject({
      errorCause: 'suspect_oracle',
    })
    expect(await score(test('assert clamp(3, 4) == 3'))).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('test_clamp_any_works is failed'),
    })
  })

  it('fails tests whose outcome varies', async () => {
    const varying = test('import os\nassert clamp(5) == 5 and os.environ["PYTHONHASHSEED"] == "0"')
    expect(await score(varying)).toMatchObject({
      verdict: 'fail',
      reason: expect.stringMatching(
        /^nondeterministic: test_clamp_any_works passes, and fails with other hashes/,
      ),
    })
  })

  it('lets a method be tested by what it changes', async () => {
    const text =
      'from bounds import Box\n\n\ndef test_grow_by_two_doubles():\n    box = Box(1)\n    box.grow(2)\n    assert box.size == 5\n\n\ndef test_grow_by_nothing_keeps():\n    box = Box(3)\n    box.grow(0)\n    assert box.size == 3\n'
    expect(await score(text, {}, 'Box.grow')).toMatchObject({ verdict: 'pass' })
  })

  it('only warns of a name', async () => {
    const found = await score(good.replaceAll('test_clamp_', 'test_it_'))
    expect(found.verdict).toBe('pass')
    expect(found.findings?.warnings[0]).toContain('its name is not test_clamp_{scenario}_{outcome}')
  })

  it('keeps the tests that were there', async () => {
    const before = 'from bounds import clamp\n\n\ndef test_mine():\n    assert clamp(3) == 3\n'
    expect(await score(good, { before })).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('the test test_mine, which was there, is gone or changed'),
    })
    const skipped = `${before}\n\nimport pytest\n\n\n@pytest.mark.skip\ndef test_later():\n    pass\n`
    const extended = `${skipped}\n\n${good.split('\n').slice(4).join('\n')}`
    expect(await score(extended, { before: skipped })).toMatchObject({ verdict: 'pass' })
  })

  it.each([
    [
      'a hash of the source',
      test(
        'import hashlib, inspect\nassert hashlib.md5(inspect.getsource(clamp).encode()).hexdigest() and clamp(1) == 1',
      ),
      'looks at the code',
    ],
    [
      'a hash of the bytecode',
      test('assert hash(clamp.__code__.co_code) != 0 and clamp(1) == 1'),
      'looks at the code',
    ],
    [
      'a hash of the bytecode, by a name put together',
      test(
        'code = getattr(clamp, "__co" + "de__")\nassert len(code.__getattribute__("co_" + "varnames")) == 3 and clamp(1) == 1\nassert code.__getattribute__("co_" + "lnotab") is not None',
      ),
      '',
    ],
    [
      'its file, by name',
      test('assert len(open("bounds.py").read()) > 5 and clamp(1) == 1'),
      'names the file',
    ],
    ['an expression compared with itself', test('x = clamp(3)\nassert x == x'), 'both sides are the same'],
    ['a call compared with itself', test('assert clamp(3) == clamp(3)'), 'both sides are the same'],
    [
      'the call within try and except',
      test('try:\n    assert clamp(3) == 4\nexcept AssertionError:\n    pass'),
      'nothing comes of it',
    ],
    ['a bare except', test('try:\n    assert clamp(3) == 4\nexcept:\n    pass'), 'nothing comes of it'],
    [
      'a suppressed failure',
      test('import contextlib\nwith contextlib.suppress(AssertionError):\n    assert clamp(3) == 4'),
      'suppresses',
    ],
    [
      'an expected failure of an assertion',
      test('with pytest.raises(AssertionError):\n    assert clamp(3) == 4'),
      'an assertion that fails is what it expects',
    ],
    [
      'a patched function',
      test(
        'monkeypatch = pytest.MonkeyPatch()\nmonkeypatch.setattr(bounds, "clamp", lambda value: 4)\nassert bounds.clamp(3) == 4',
      ),
      'is replaced',
    ],
    [
      'a patch of mock',
      test(
        'from unittest import mock\nwith mock.patch("bounds.clamp", return_value=4) as clamped:\n    assert bounds.clamp(3) == 4',
      ),
      'is replaced',
    ],
    [
      'an assigned function',
      test('bounds.clamp = lambda value: 4\nassert bounds.clamp(3) == 4'),
      'is replaced',
    ],
    [
      'assigned code',
      test('clamp.__code__ = (lambda value: 4).__code__\nassert clamp(3) == 4'),
      'is changed',
    ],
    [
      'a function of the same name',
      `${imports}def clamp(value):\n    return 4\n\n\ndef test_clamp_three_works():\n    assert clamp(3) == 4\n`,
      'bound to something else',
    ],
    [
      'a copy of its body',
      `${imports}def expected(value: int, low: int = 0, high: int = 10) -> int:\n    if low > high:\n        raise ValueError("bounds")\n    if value < low:\n        return low\n    if value > high:\n        return high\n    return value\n\n\ndef test_clamp_many_work():\n    for x in range(-20, 20):\n        assert clamp(x) == expected(x)\n`,
      'is a copy of clamp',
    ],
    [
      'a skip',
      `${imports}@pytest.mark.skip\ndef test_clamp_three_works():\n    assert clamp(3) == 3\n`,
      'skipped',
    ],
    [
      'a skip from within',
      test('if clamp(3) == 3:\n    pytest.skip("later")\nassert clamp(3) == 3'),
      'skipped',
    ],
    [
      'an expected failure',
      `${imports}@pytest.mark.xfail\ndef test_clamp_three_works():\n    assert clamp(3) == 4\n`,
      'expected to fail',
    ],
    [
      'a mark for the whole file',
      `${imports}pytestmark = pytest.mark.xfail\n\n\n${good.split('\n').slice(4).join('\n')}`,
      'pytestmark',
    ],
    [
      'an assertion on a mock',
      test('from unittest.mock import Mock\nm = Mock(return_value=3)\nclamp(3)\nassert m(3) == 3'),
      'asserts nothing that depends',
    ],
    ['no assertion', test('clamp(3)'), 'asserts nothing that depends'],
    ['no call', test('assert 1 + 1 == 2'), 'does not call clamp'],
    [
      'a call that is never reached',
      test('if False:\n    assert clamp(3) == 3\nassert callable(clamp)'),
      'does not reach the function',
    ],
    ['an assertion that always holds', test('assert clamp(3) == 4 or True'), 'it is constant'],
    ['a tuple', test('assert (clamp(3) == 4, "three")'), 'always true'],
    ['a length that is never negative', test('assert len([clamp(3)]) >= 0'), 'never negative'],
    [
      'what equals everything',
      test('from unittest.mock import ANY\nassert clamp(3) == ANY'),
      'equal to everything',
    ],
    [
      'a look at how it is traced',
      test('import sys\nassert (sys.gettrace() is not None) or clamp(3) == 3'),
      'how it is run',
    ],
    [
      'a failure wherever the process is another',
      test(
        'import os\nassert os.getpid() == started and clamp(3) == 3',
        'test_clamp_three_works',
        'import os\n\nstarted = os.getpid()\n\n\n',
      ),
      '',
    ],
    [
      'an import of nothing',
      'def test_clamp_three_works():\n    clamp = __import__("bounds").clamp\n    assert clamp(3) == 3\n',
      'is not imported',
    ],
    ['no tests', 'x = 1\n', 'the file has no tests'],
    ['the end of the program', test('import os\nassert clamp(3) == 3\nos._exit(0)'), 'how it is run'],
  ])('accepts no cheat: %s', async (_what, text, words) => {
    const found = await score(text, { buggy })
    expect([found.verdict, found.reason]).toEqual(['fail', expect.stringContaining(words)])
  })
})
