import { spawn } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import { mostMessageBytes } from '../../src/app/mcp/mcp-lines.js'
import { cli, removeFolders } from '../e2e/sample.js'
import { smallProject } from '../e2e/small-project.js'

afterAll(removeFolders)

const message = (id: unknown, method = 'ping', params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

const bad: readonly (readonly [string, Buffer, number | null, number])[] = [
  ['no UTF-8', Buffer.from(message(2, 'ping', { a: '\u00e9' }), 'latin1'), 2, -32700],
  ['20 MB', Buffer.from(message(2, 'ping', { a: 'x'.repeat(20_000_000) })), 2, -32600],
  [
    'a little more than the bound',
    Buffer.from(message(2, 'ping', { a: 'x'.repeat(mostMessageBytes) })),
    2,
    -32600,
  ],
  ['no JSON', Buffer.from('hello'), null, -32700],
  ['half of a message', Buffer.from(message(2).slice(0, -1)), 2, -32700],
  ['another version', Buffer.from('{"jsonrpc":"1.0","id":2,"method":"ping"}'), 2, -32600],
  ['a list', Buffer.from(`[${message(2)}]`), null, -32600],
  ['no method', Buffer.from('{"jsonrpc":"2.0","id":2}'), 2, -32600],
  ['null as its id', Buffer.from(message(null)), null, -32600],
  ['a zero byte', Buffer.from('\u0000'), null, -32700],
  ['the header of another protocol', Buffer.from('Content-Length: 20'), null, -32700],
]

it.each(bad)(
  'a message with %s has an answer of its own, and so has the next one',
  async (_what, bytes, id, code) => {
    const child = spawn(process.execPath, [cli, 'mcp'], {
      cwd: smallProject(),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    child.stdin.write(`${message(1, 'initialize', initialize)}\n`)
    child.stdin.write(Buffer.concat([bytes, Buffer.from(`\n\n${message(3)}\n`)]))
    const answers = () =>
      out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    await expect.poll(() => answers().length, { timeout: 30_000 }).toBe(3)
    expect(answers().find((answer) => answer.error)).toMatchObject({ id, error: { code } })
    expect(answers().find((answer) => answer.id === 3)).toMatchObject({ result: {} })
    child.stdin.end()
    await new Promise((resolve) => child.once('exit', resolve))
  },
  40_000,
)
