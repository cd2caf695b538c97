import { describe, expect, it } from 'vitest'
import { HostError, runToolScript, scriptLimits } from '../../../src/subagent/script/run-tool-script.js'
import { readToolScript } from '../../../src/subagent/script/script-format.js'

const { signal } = new AbortController()
const limits = { ...scriptLimits, wallMs: 20_000 }
const run = async (
  text: string,
  args: Record<string, unknown> = {},
  host: Parameters<typeof runToolScript>[2] = {},
  more: Partial<typeof limits> = {},
) => runToolScript(await readToolScript(text), args, host, signal, { ...limits, ...more })

const reader = `from grail import Input, external

path: str | None = Input("path", default=None)
times: int = Input("times", default=2)


@external
async def read_file(path: str, limit: int) -> str:
    """Text of a file."""
    ...


@external
def plain(a: int) -> dict:
    ...


content = await read_file(path or "none", limit=3)
{"content": content * times, "path": path, "more": plain(1)}
`
const host = {
  read_file: ({ path, limit }: Record<string, unknown>) => Promise.resolve(`<${path} ${limit}>`),
  plain: () => ({ x: [1, null, 'ü'] }),
}

describe('a tool script', () => {
  it('is run with its arguments, their defaults, and the functions of the host', async () => {
    expect(await run(reader, { path: 'a.py' }, host)).toMatchObject({
      kind: 'done',
      value: { content: '<a.py 3><a.py 3>', path: 'a.py', more: { x: [1, null, 'ü'] } },
    })
    expect(await run(reader, { times: 1 }, host)).toMatchObject({
      value: { content: '<none 3>', path: null },
    })
  })

  it('keeps the truth of each call of the host', async () => {
    const { calls } = await run(reader, {}, host)
    expect(calls).toEqual([
      { name: 'read_file', args: { path: 'none', limit: 3 }, answer: { value: '<none 3>' } },
      { name: 'plain', args: { a: 1 }, answer: { value: { x: [1, null, 'ü'] } } },
    ])
  })

  it('may catch what the host raises, by the names of Python', async () => {
    const text = `from grail import external
@external
async def read_file(path: str) -> str: ...
try:
    found = await read_file("x")
except FileNotFoundError as error:
    found = str(error)
found
`
    const read_file = (): never => {
      throw new HostError('FileNotFoundError', 'no x here')
    }
    expect(await run(text, {}, { read_file })).toMatchObject({ kind: 'done', value: 'no x here' })
  })

  it.each([
    ['an exception', 'x = 1\n\nx / 0\n', { message: expect.stringContaining('ZeroDivisionError'), line: 3 }],
    [
      'a name that it did not declare',
      'open("/etc/passwd")\n',
      { message: expect.stringMatching(/NameError|PermissionError|NotImplemented/) },
    ],
    ['eval', 'eval("1")\n', { message: expect.stringContaining('NameError') }],
    [
      'a violation of the format',
      'import os\n\nos\n',
      { message: expect.stringContaining('(import)'), line: 1 },
    ],
  ])('%s is said with its line', async (_name, text, expected) => {
    expect(await run(text)).toMatchObject({ kind: 'failed', ...expected })
  })

  it('that lacks an argument, or a function of the host, is not run', async () => {
    expect(await run('a: int = Input("a")\na\n')).toMatchObject({
      kind: 'failed',
      message: 'its argument `a` is missing',
    })
    expect(await run(reader, {}, { plain: () => 1 })).toMatchObject({
      message: 'the host has no function read_file: it has plain',
    })
  })

  it.each([
    ['an endless loop', 'while True:\n    pass\n1\n', {}],
    ['a list without end', 'x = [1]\nwhile True:\n    x = x + x\n1\n', {}],
    ['recursion without end', 'def f(n):\n    return f(n + 1)\nf(1)\n', {}],
  ])('%s ends', { timeout: 30_000 }, async (_name, text, more) => {
    const started = performance.now()
    expect(await run(text, {}, {}, { seconds: 1, ...more })).toMatchObject({ kind: 'failed' })
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it('prints only so much', async () => {
    const found = await run('for n in range(1000):\n    print("x" * 100)\n1\n', {}, {}, { output: 500 })
    expect([found.kind, found.output.length]).toEqual(['done', 500])
  })

  it('calls the host only so often', async () => {
    const text =
      'from grail import external\n@external\ndef f() -> int: ...\nfor n in range(100):\n    f()\n1\n'
    const found = await run(text, {}, { f: () => 1 }, { calls: 10 })
    expect(found).toMatchObject({ kind: 'failed', message: expect.stringContaining('more than 10 calls') })
    expect(found.calls).toHaveLength(10)
  })

  it('does not pay for the time of the host', async () => {
    const text = 'from grail import external\n@external\nasync def f() -> int: ...\nawait f()\n'
    const f = () => new Promise((resolve) => setTimeout(() => resolve(7), 700))
    expect(await run(text, {}, { f }, { seconds: 0.3 })).toMatchObject({ kind: 'done', value: 7 })
  })

  it('ends when the wall time is over, while the host answers', async () => {
    const text = 'from grail import external\n@external\nasync def f() -> int: ...\nawait f()\n'
    const found = await run(text, {}, { f: () => new Promise(() => undefined) }, { wallMs: 800 })
    expect(found).toMatchObject({ kind: 'failed', message: 'it did not end in 0.8 s' })
  })
})
