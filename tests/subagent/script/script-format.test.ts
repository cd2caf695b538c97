import { describe, expect, it } from 'vitest'
import { readToolScript } from '../../../src/subagent/script/script-format.js'

const good = `"""Reads a file."""
from grail import Input, external

path: str | None = Input("path", default=None)
text: str = Input("content")


@external
async def read_file(path: str, *, limit: int = 10) -> str:
    """Text of a file."""
    ...


# The result.
{"content": await read_file(path), "path": path}
`

describe('a tool script', () => {
  it('names its inputs and the functions of the host', async () => {
    const { inputs, externals, problems } = await readToolScript(good)
    expect(problems).toEqual([])
    expect(
      inputs.map(({ variable, key, required, defaultSource }) => [variable, key, required, defaultSource]),
    ).toEqual([
      ['path', 'path', false, 'None'],
      ['text', 'content', true, undefined],
    ])
    expect(externals).toMatchObject([{ name: 'read_file', parameters: ['path', 'limit'], isAsync: true }])
  })

  it.each([
    ['an import', 'import os\n1\n', 1, 'import', 'os'],
    ['an import among others', 'from grail import Input\nimport typing, json\n1\n', 2, 'import', 'json'],
    ['a class', 'class A:\n    pass\n1\n', 1, 'statement', 'class'],
    ['a generator', 'def f():\n    yield 1\n1\n', 2, 'statement', 'yield'],
    ['with', 'with f() as x:\n    pass\n1\n', 1, 'statement', 'with'],
    ['match', 'match 1:\n    case 1:\n        pass\n1\n', 1, 'statement', 'match'],
    ['del', 'x = 1\ndel x\n1\n', 2, 'statement', 'del'],
    [
      'another decorator',
      '@cached\ndef f() -> int:\n    ...\n1\n',
      1,
      'decorator',
      '@cached would be ignored',
    ],
    [
      'a parameter without annotation',
      '@external\ndef f(a) -> int:\n    ...\n1\n',
      2,
      'external',
      'a of f has no annotation',
    ],
    [
      'no annotation of the result',
      '@external\ndef f(a: int):\n    ...\n1\n',
      2,
      'external',
      'what it returns',
    ],
    [
      'a body of its own',
      '@external\ndef f(a: int) -> int:\n    return a\n1\n',
      3,
      'external',
      'must have a body of ...',
    ],
    [
      'a stub within a function',
      'def g():\n    @external\n    def f() -> int:\n        ...\n1\n',
      2,
      'external',
      'outermost',
    ],
    ['an input without annotation', 'a = Input("a")\na\n', 1, 'input', 'a has no annotation'],
    ['an input without a name', 'a: int = Input(b)\na\n', 1, 'input', 'as text'],
    ['an input in an expression', 'a: int = 1 + Input("a")\na\n', 1, 'input', 'assigned to a variable'],
    ['another argument of an input', 'a: int = Input("a", fallback=1)\na\n', 1, 'input', 'fallback=1'],
    ['a name twice', 'a: int = Input("a")\na: int = Input("b")\na\n', 1, 'name', '`a` is declared twice'],
    ['no result', 'x = 1\n', 1, 'result', 'the result of the tool'],
    ['nothing at all', '# nothing\n', 1, 'result', 'the result of the tool'],
    ['no Python', 'def f(:\n  ]\n', 1, 'syntax', ''],
  ])('%s is an error with its line', async (_name, text, line, rule, message) => {
    const { problems } = await readToolScript(text)
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: 'error', line, rule, message: expect.stringContaining(message) }),
    )
  })

  it('is warned of what works and makes it hard to check', async () => {
    const { problems } = await readToolScript('f = lambda x: x\nf(1)\n')
    expect(problems).toMatchObject([{ severity: 'warning', rule: 'statement', line: 1 }])
  })
})
