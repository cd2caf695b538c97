import { afterEach, describe, expect, it } from 'vitest'
import { writtenTests } from '../../../src/testgen/python/worker-results.js'
import { needsPython } from '../../needs.js'
import { findPythonHere, pythonWorkers } from '../python-here.js'

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

async function written(source: string, path = 'm.py') {
  return start({ 'shop/__init__.py': '', [path]: source }).call(
    'write_tests',
    { path, qualname: 'f', existing: '', seconds: 1, seed: 1, test_path: 'tests/test_m.py' },
    writtenTests,
    60_000,
  )
}

describe('a suspect is', needsPython, () => {
  it.each([
    [
      'a name that is not there',
      'def f(n: int) -> int:\n    if n > 3:\n        return m\n    return n\n',
      /NameError/,
    ],
    [
      'a variable without a value',
      'def f(n: int) -> int:\n    if n > 3:\n        k = 1\n    return n + k\n',
      /UnboundLocalError/,
    ],
    [
      'an attribute of None that the types allow',
      'from typing import Optional\n\n\ndef f(text: Optional[str]) -> str:\n    return text.upper() + "!"\n',
      /f\(None\): raises AttributeError/,
    ],
    [
      'an exception, where the docstring rules them out',
      'def f(text: str) -> int:\n    """Returns the number in a text; never raises."""\n    return int(text) + 1\n',
      /raises ValueError, its docstring says that it never raises/,
    ],
    [
      'text that is not the JSON of the docstring',
      'def f(x: float) -> str:\n    """Returns the number as valid JSON."""\n    return str(x) if x < 2 else "{" + str(x)\n',
      /its docstring says valid JSON/,
    ],
    [
      'a list that is not sorted, as the docstring says',
      'from typing import List\n\n\ndef f(rows: List[int]) -> List[int]:\n    """Returns a sorted list of the rows."""\n    return rows[1:] + rows[:1]\n',
      /its docstring says sorted/,
    ],
    [
      'an example that does not hold',
      'def f(n: int) -> int:\n    """\n    >>> f(4)\n    9\n    """\n    return n * 2\n',
      /^f\(4\) gives 8, not 9$/,
    ],
  ])(
    '%s; it has no test',
    async (_what, source, expected) => {
      const { suspects, text } = await written(source)
      expect(suspects.length).toBeGreaterThan(0)
      expect(suspects[0]).toMatch(expected)
      for (const suspect of suspects) {
        const call = /^f\(.*?\)(?=: | gives)/.exec(suspect)?.[0]
        expect(call).toBeDefined()
        expect(text).not.toContain(`${call} `)
      }
    },
    60_000,
  )

  it.each([
    [
      'an exception that the function raises itself',
      'def f(n: int) -> int:\n    if n < 0:\n        raise TypeError("less than 0")\n    return n + 1\n',
    ],
    ['an exception for input without a declared type', 'def f(n):\n    return n.bit_length() + 1\n'],
    [
      'an example in other quotes',
      'def f(n: int) -> str:\n    """\n    >>> f(21)\n    "21"\n    """\n    return str(n)\n',
    ],
    [
      'an example that holds without a result',
      'def f(n: int) -> int:\n    """\n    >>> f(2) == 4\n    """\n    return n * 2\n',
    ],
    [
      'an example in other white space',
      'def f(n: int) -> list:\n    """\n    >>> f(2)\n    [ 2,3 ]\n    """\n    return [n, n + 1]\n',
    ],
    [
      'an example that needs what is not here',
      'def f(n: int) -> int:\n    """\n    >>> f(numbers.one)\n    2\n    """\n    return n * 2\n',
    ],
    [
      'words of sorting that say by what',
      'from typing import List\n\n\ndef f(rows: List[int]) -> List[int]:\n    """Returns the rows in a sorted order by their last digit."""\n    return sorted(rows, key=lambda each: each % 10)\n',
    ],
    [
      'arguments whose number no type says',
      'from typing import List\n\n\ndef g(a: int, b: int = 0) -> int:\n    return a * 2 + b\n\n\ndef f(rows: List[int]) -> int:\n    return g(*rows)\n',
    ],
  ])(
    'not %s',
    async (_what, source) => {
      const { suspects, names } = await written(source)
      expect(suspects).toEqual([])
      expect(names.length).toBeGreaterThan(0)
    },
    60_000,
  )

  it('an example that is qualified by the package, too', async () => {
    const source =
      'def f(n: int) -> int:\n    """\n    >>> shop.a.f(4)\n    9\n    >>> a.f(4)\n    8\n    """\n    return n * 2\n'
    const { suspects } = await written(source, 'shop/a.py')
    expect(suspects).toEqual(['shop.a.f(4) gives 8, not 9'])
  }, 60_000)
})

it.runIf(findPythonHere())(
  'a result that is not of its declared type is a hint, and has a test',
  async () => {
    const { suspects, hints, names } = await written(
      'def f(n: int) -> str:\n    return "a" * n if n < 5 else n\n',
    )
    expect(suspects).toEqual([])
    expect(hints).toEqual([expect.stringMatching(/^f\(\d+\) returns \d+, declared is str$/)])
    expect(names.length).toBeGreaterThan(1)
  },
  60_000,
)
