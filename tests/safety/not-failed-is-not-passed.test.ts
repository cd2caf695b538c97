import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { faultSearch, mutantScore } from '../../src/testgen/python/worker-results.js'
import { autotest, removeFolders } from '../e2e/sample.js'
import { filesIn, readIn, rightSource, sourcePath, tddProject, testPath } from '../e2e/tdd-project.js'
import { type ChatServer, type Said, startChatServer } from '../llm/chat-server.js'
import { needsPython } from '../needs.js'
import { findPythonHere, pythonWorkers } from '../testgen/python-here.js'

const { start, close } = pythonWorkers(findPythonHere())
const servers: ChatServer[] = []
afterEach(async () => {
  await close()
  for (const server of servers.splice(0)) await server.close()
})
afterAll(removeFolders)

const call = (name: string, args: object): Said => ({ calls: [{ name, arguments: args }] })
const wanted = `from shop.calc import discount


def test_discount_ten_percent():
    assert discount(100, 10) == 90
`
const bigger = 'def bigger(a, b):\n    return a if a > b else b\n'
const withBigger = (code: string): string => `import unittest\n\nimport pytest\n\n\n${code}\n\n\n${bigger}`

/** A task whose coder writes one text of the source, in each attempt; a test of the project is skipped from the beginning. */
async function taskWith(
  source: string,
  flags: readonly string[] = [],
  files: Record<string, string> = {},
  tests = wanted,
) {
  const server = await startChatServer(({ messages }) => {
    const isWriter = (messages[0]?.content ?? '').startsWith('You write tests')
    const [path, content] = isWriter ? [testPath, tests] : [sourcePath, source]
    return messages.some(({ role }) => role === 'tool')
      ? call('submit_result', { summary: 'done' })
      : call('write_file', { path, content })
  })
  servers.push(server)
  const root = tddProject({
    'autotest.config.yaml': `llm:\n  base_url: ${server.baseUrl}\n  roles:\n${['test_writer', 'coder', 'debugger'].map((role) => `    ${role}: { model: small }`).join('\n')}\n`,
    'tests/unit/test_later.py': 'import pytest\n\n\n@pytest.mark.skip\ndef test_later():\n    assert False\n',
    ...files,
  })
  const before = filesIn(root)
  const { code, out } = await autotest(root, ['tdd', 'tasks/discount.yaml', ...flags])
  return { root, before, code, out }
}

const newTest = `${testPath}::test_discount_ten_percent`
const oldTest = 'tests/unit/test_bigger.py::test_bigger'

describe('a task', { ...needsPython, timeout: 300_000 }, () => {
  it.each([
    [
      'skips its test in the function',
      withBigger('def discount(price, percent):\n    raise unittest.SkipTest("later")'),
      `${newTest} (skipped)`,
    ],
    [
      'lets its tests vanish when they are collected',
      'import unittest\n\nraise unittest.SkipTest("later")\n',
      `${newTest} (gone)`,
    ],
    [
      'says in the function that a failure is expected',
      withBigger('def discount(price, percent):\n    pytest.xfail("later")'),
      `${newTest} (xfailed)`,
    ],
    [
      'marks the running test as one that is expected to fail',
      withBigger(
        'def discount(price, percent):\n    import gc\n    for each in gc.get_objects():\n        if isinstance(each, pytest.Item):\n            each.add_marker(pytest.mark.xfail)\n    return 0',
      ),
      `${newTest} (xfailed)`,
    ],
    [
      'skips a test that passed before',
      rightSource.replace(
        'return a if',
        'import unittest; raise unittest.SkipTest("later")\n    return a if',
      ),
      `${oldTest} (skipped), which passed before`,
    ],
    [
      'lets a test vanish that passed before',
      `${rightSource.slice(0, rightSource.indexOf('def bigger'))}def __getattr__(name):\n    if name != "bigger":\n        raise AttributeError(name)\n    import unittest\n    raise unittest.SkipTest(name)\n`,
      `${oldTest} (gone), which passed before`,
    ],
  ])('is not done where its code %s', async (_, source, named) => {
    const { root, before, code, out } = await taskWith(source)
    expect(out).toContain(named)
    expect([code, filesIn(root)]).toEqual([6, before])
  })

  it('is not done where its code changes the list that a test takes its parameters from', async () => {
    const shop = (cases: string, code: string): string =>
      `CASES = ${cases}\n\n\ndef discount(price, percent):\n    ${code}\n\n\n${bigger}`
    const root = { [sourcePath]: shop('[10]', 'return price + price * percent / 100') }
    const tests =
      'import pytest\n\nfrom shop.calc import CASES, discount\n\n\n@pytest.mark.parametrize("c", CASES)\ndef test_discount(c):\n    assert discount(100, c) == 100 - c\n'
    const { before, code, out, root: at } = await taskWith(shop('[0]', 'return price'), [], root, tests)
    expect(out).toContain(`${testPath}::test_discount[10] (gone)`)
    expect([code, filesIn(at)]).toEqual([6, before])
  })

  it('is not done where its code breaks doctests that the project runs', async () => {
    const code = (discount: string, body: string): string =>
      `def discount(price, percent):\n    return ${discount}\n\n\ndef bigger(a, b):\n    """\n    >>> bigger(1, 2)\n    2\n    """\n    return ${body}\n`
    const less = 'price - price * percent / 100'
    const files = {
      'pytest.ini': '[pytest]\naddopts = -v --doctest-modules --doctest-glob=*.md\n',
      [sourcePath]: code('price', 'a if a > b else b'),
      'docs/use.md': '>>> from shop.calc import bigger\n>>> bigger(1, 2)\n2\n',
    }
    const wrong = await taskWith(code(less, 'float(a if a > b else b)'), [], files)
    for (const test of ['src/shop/calc.py::shop.calc.bigger', 'docs/use.md::use.md'])
      expect(wrong.out).toContain(`${test} (failed), which passed before`)
    expect(filesIn(wrong.root)).toEqual(wrong.before)
    expect(wrong.code).not.toBe(0)
    const right = await taskWith(code(less, 'max(a, b)'), [], files)
    expect(right.out).toContain('suite    4 tests pass')
    expect(right.code).toBe(0)
  })

  it('is done where a test was skipped before and is skipped after', async () => {
    const { root, code, out } = await taskWith(rightSource)
    expect([code, readIn(root, sourcePath)]).toEqual([0, rightSource])
    expect(out).toContain('before   1 test passes, 1 is skipped')
    expect(out).toContain('suite    2 tests pass')
  })

  it('runs the other tests of a project of which a file cannot be collected', async () => {
    const broken = { 'tests/unit/test_broken.py': 'import nowhere_at_all\n\n\ndef test_x():\n    pass\n' }
    const skips = rightSource.replace(
      'return a if',
      'import unittest; raise unittest.SkipTest("x")\n    return a if',
    )
    const wrong = await taskWith(skips, [], broken)
    expect(wrong.out).toContain(`${oldTest} (skipped), which passed before`)
    expect([wrong.code, filesIn(wrong.root)]).toEqual([6, wrong.before])
    const right = await taskWith(rightSource, [], broken)
    expect(right.out).toContain('suite    2 tests pass')
    expect(right.code).toBe(0)
  })
})

const skipping =
  'import unittest\n\n\ndef g(a):\n    if a > 3:\n        raise unittest.SkipTest("no")\n    return a + 1\n'
const score = (source: string, tests: string) =>
  start({ 'm.py': source, 'tests/test_m.py': `import pytest\nfrom m import g\n\n\n${tests}` }).call(
    'score_mutants',
    { path: 'm.py', qualname: 'g', tests: ['tests/test_m.py'], seconds: 30 },
    mutantScore,
    60_000,
  )
const killsOf = ({ mutants }: { readonly mutants: readonly { readonly outcome: string }[] }): number =>
  mutants.filter(({ outcome }) => outcome === 'killed').length

describe('a mutant', needsPython, () => {
  it.each([
    ['skipped', skipping],
    ['xfailed', skipping.replace('raise unittest.SkipTest("no")', 'import pytest; pytest.xfail("no")')],
  ])('is killed by no test that is %s on the function as it is', async (outcome, source) => {
    const found = await score(source, 'def test_nine():\n    assert g(9) == 777\n')
    expect(found.reference).toMatchObject([{ test: 'tests/test_m.py::test_nine', outcome }])
    expect(killsOf(found)).toBe(0)
  })

  it('is killed by no test that is skipped when the unchanged function is tested again', async () => {
    const again = `import os


def test_once():
    with open("count", "a+") as file:
        file.write("x")
    if os.path.getsize("count") > 1:
        pytest.skip("not again")
    assert g(1) == 2
`
    const found = await score('def g(a):\n    return a + 1\n', again)
    expect(found.noticed_rewrite).toBe('tests/test_m.py::test_once')
  })

  it('is killed by the tests that pass beside one that is skipped', async () => {
    const found = await score(
      skipping,
      'def test_nine():\n    g(9)\n\n\ndef test_one():\n    assert g(1) == 2\n',
    )
    expect(found.reference.map(({ outcome }) => outcome)).toEqual(['skipped', 'passed'])
    expect(killsOf(found)).toBeGreaterThan(2)
  })

  it('is no fix where the test is only skipped with it', async () => {
    const source =
      'import unittest\n\n\ndef g(a):\n    if a < 3:\n        raise unittest.SkipTest("no")\n    return a + 5\n'
    const found = await start({
      'm.py': source,
      'tests/test_m.py':
        'from m import g\n\n\ndef test_g():\n    assert g(3) == 777\n\n\ndef test_h():\n    assert g(4) == 9\n',
    }).call(
      'diagnose',
      { tests: ['tests/test_m.py'], sources: ['m.py'], failing: null, seconds: 5 },
      faultSearch,
      120_000,
    )
    expect(found.fixes.map(({ after }) => after)).toEqual([])
  })

  it('leaves `mutants` saying which tests do not pass', { timeout: 120_000 }, async () => {
    const root = tddProject({
      'src/shop/g.py': skipping,
      'tests/unit/shop/test_g.py': 'from shop.g import g\n\n\ndef test_nine():\n    assert g(9) == 777\n',
    })
    const { code, out } = await autotest(root, [
      'mutants',
      'src/shop/g.py::g',
      '--tests',
      'tests/unit/shop/test_g.py',
    ])
    expect(out).toContain('test_nine: is skipped on the function as it is, and notices nothing')
    expect(out).toMatch(/ 0 of \d+ mutants killed/)
    expect(code).toBe(1)
  })
})
