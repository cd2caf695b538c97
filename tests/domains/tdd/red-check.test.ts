import { describe, expect, it } from 'vitest'
import { checkRed } from '../../../src/domains/tdd/red-check.js'
import type { TestRun } from '../../../src/testgen/python/worker-results.js'

const context = { modules: ['shop.calc'], present: ['shop', 'shop.calc', 'shop.orders'], mayPass: false }
const run = (
  tests: readonly (readonly [string, string | null])[],
  errors: readonly string[] = [],
): TestRun => ({
  exit_code: 1,
  tests: tests.map(([outcome, message], at) => ({
    test: `tests/unit/test_a.py::test_${at}`,
    outcome: outcome as TestRun['tests'][number]['outcome'],
    message,
    line: 1,
    ms: 1,
  })),
  errors: errors.map((message) => ({ test: 'tests/unit/test_a.py', message })),
  ms: 1,
})

describe('a failure for want of code', () => {
  it.each([
    ['an assertion', run([['failed', 'assert 1 == 2']])],
    ['an exception of the code', run([['failed', 'ZeroDivisionError: division by zero']])],
    ['no exception', run([['failed', "Failed: DID NOT RAISE <class 'ValueError'>"]])],
    [
      'a missing attribute',
      run([['failed', "AttributeError: module 'shop.calc' has no attribute 'discount'"]]),
    ],
    ['a missing module', run([], ["E   ModuleNotFoundError: No module named 'shop.calc'"])],
    ['a missing package', run([], ["E   ModuleNotFoundError: No module named 'shop'"])],
    [
      'a missing name',
      run([], ["E   ImportError: cannot import name 'discount' from 'shop.calc' (/w/shop/calc.py)"]),
    ],
  ])('is %s', (_what, found) => {
    expect(checkRed(found, context)).toEqual({ confirmed: true, passing: [], wrong: [] })
  })
})

describe('another failure is none', () => {
  it.each([
    ['a syntax error', run([], ['  File "t.py", line 1\nE   SyntaxError: invalid syntax']), 'no Python'],
    ['wrong indentation', run([], ['E   IndentationError: unexpected indent']), 'no Python'],
    [
      'a misspelt module',
      run([], ["E   ModuleNotFoundError: No module named 'shop.clac'"]),
      'did you mean shop.calc?',
    ],
    [
      'a module of nobody',
      run([], ["E   ModuleNotFoundError: No module named 'numpy'"]),
      'none of the interfaces',
    ],
    [
      'a name of another module',
      run([], ["E   ImportError: cannot import name 'x' from 'shop.orders' (f)"]),
      'shop.orders',
    ],
    [
      'a name that nobody defines',
      run([['failed', "NameError: name 'discont' is not defined"]]),
      'it uses discont',
    ],
    [
      'a missing fixture',
      run([['error', "file t.py, line 1\nE       fixture 'shop' not found"]]),
      "fixture 'shop' not found",
    ],
    ['a failing setup', run([['error', 'RuntimeError: no']]), 'before it begins'],
    ['a skipped test', run([['skipped', null]]), 'is skipped'],
    ['an expected failure', run([['xfailed', null]]), 'is xfailed'],
    ['no test', run([]), 'there is no test'],
    ['no end', { ...run([]), failure: 'timeout', message: '60 s' }, 'did not end'],
  ])('%s', (_what, found, said) => {
    const { confirmed, wrong } = checkRed(found, context)
    expect([confirmed, wrong.join('\n')]).toEqual([false, expect.stringContaining(said)])
  })

  it('a test that passes demands nothing, unless people wrote it as an example', () => {
    const found = run([
      ['passed', null],
      ['failed', 'assert 1 == 2'],
    ])
    expect(checkRed(found, context)).toMatchObject({
      confirmed: false,
      passing: ['tests/unit/test_a.py::test_0'],
    })
    expect(checkRed(found, { ...context, mayPass: true })).toMatchObject({ confirmed: true })
    expect(checkRed(run([['passed', null]]), { ...context, mayPass: true })).toMatchObject({
      confirmed: false,
    })
  })

  it('without interfaces any module may be what is built, but one that looks like another', () => {
    const unknown = { ...context, modules: [] }
    expect(checkRed(run([], ["E   ModuleNotFoundError: No module named 'billing'"]), unknown).confirmed).toBe(
      true,
    )
    expect(
      checkRed(run([], ["E   ModuleNotFoundError: No module named 'shop.cacl'"]), unknown).confirmed,
    ).toBe(false)
  })
})
