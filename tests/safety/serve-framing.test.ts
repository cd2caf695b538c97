import type { ChildProcess } from 'node:child_process'
import { afterAll, afterEach, expect, it } from 'vitest'
import { MessageFrames, mostBodyBytes } from '../../src/app/serve/message-frames.js'
import { removeFolders, scratchFolder } from '../e2e/sample.js'
import { killServers, startServer } from '../e2e/serve-connection.js'

afterEach(killServers)
afterAll(removeFolders)

interface Answer {
  readonly id: number | null
  readonly error?: { readonly code: number }
}

/** Returns the answers of a server as they come. */
function answersOf(server: ChildProcess): Answer[] {
  const answers: Answer[] = []
  let text = ''
  server.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
    for (;;) {
      const [header, length] = /^Content-Length: (\d+)\r\n(?:[\w-]+: .*\r\n)*\r\n/.exec(text) ?? []
      // What is answered here is ASCII.
      if (header === undefined || text.length < header.length + Number(length)) return
      answers.push(JSON.parse(text.slice(header.length, header.length + Number(length))))
      text = text.slice(header.length + Number(length))
    }
  })
  return answers
}

const request = (id: unknown, params: object = { agent: 'coder' }): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'guardrails_get_context', params })
const framed = (
  body: Buffer | string,
  header = `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
): Buffer => Buffer.concat([Buffer.from(header), Buffer.from(body)])
const latin1 = Buffer.from(request(2, { agent: '\u00e9' }), 'latin1')

/** What is sent, and the ids of the errors that it is answered with. */
const broken: readonly (readonly [string, Buffer, readonly (number | null)[]])[] = [
  ['no number', framed(request(2), 'Content-Length: abc\r\n\r\n'), [2]],
  ['a negative number', framed(request(2), 'Content-Length: -5\r\n\r\n'), [2]],
  ['a number in hexadecimal', framed(request(2), 'Content-Length: 0x4c\r\n\r\n'), [2]],
  ['another header alone', framed(request(2), 'Content-Type: application/json\r\n\r\n'), [2]],
  ['no header', Buffer.from(request(2)), [2]],
  ['a number too small', framed(request(2), 'Content-Length: 7\r\n\r\n'), [null, null]],
  ['a number too large', framed(request(2), 'Content-Length: 200\r\n\r\n'), [2]],
  ['a number beyond all bounds', framed(request(2), 'Content-Length: 99999999999\r\n\r\n'), [2]],
  ['two numbers', framed(request(2), 'Content-Length: 4\r\nContent-Length: 80\r\n\r\n'), [2]],
  ['no JSON', framed('hello, this is not JSON'), [null]],
  ['no UTF-8', framed(latin1), [2]],
  ['nothing', framed(''), [null]],
  ['a header twice', framed(framed(request(2)), 'Content-Length: 30\r\n\r\n'), [null]],
  ['a mark of byte order', Buffer.concat([Buffer.from('\ufeff'), framed(request(2))]), [null]],
  ['zeros', Buffer.alloc(10_000), [null]],
  ['a line that has no end', Buffer.from('x'.repeat(5000)), [null]],
  ['no request', framed('{"jsonrpc":"2.0","id":2}'), [2]],
  ['a list', framed(`[${request(2)}]`), [null]],
  ['null as its id', framed(request(null)), [null]],
  ['a cancel of nothing', framed('{"jsonrpc":"2.0","method":"$/cancelRequest"}'), [null]],
]

it.each(broken)(
  'after a message with %s six good requests are answered',
  async (_what, bytes, errors) => {
    const server = startServer(scratchFolder())
    const answers = answersOf(server)
    server.stdin?.write(bytes)
    for (let id = 10; id < 16; id += 1) server.stdin?.write(framed(request(id)))
    const good = (): number[] => answers.flatMap(({ id, error }) => (error === undefined && id ? [id] : []))
    await expect
      .poll(
        () =>
          good()
            .filter((id) => id >= 10)
            .sort(),
        { timeout: 30_000 },
      )
      .toEqual([10, 11, 12, 13, 14, 15])
    expect(answers.filter(({ error }) => error !== undefined).map(({ id }) => id)).toEqual(errors)
  },
  40_000,
)

it('a message that is larger than the bound is answered under its id, and nothing of it is kept', async () => {
  const server = startServer(scratchFolder())
  const answers = answersOf(server)
  server.stdin?.write(framed(request(7, { agent: 'x'.repeat(mostBodyBytes) })))
  server.stdin?.write(framed(request(8)))
  await expect.poll(() => answers.map(({ id }) => id), { timeout: 30_000 }).toEqual([7, 8])
  expect(answers[0]?.error?.code).toBe(-32700)
}, 40_000)

it('two requests with one id are two answers', async () => {
  const server = startServer(scratchFolder())
  const answers = answersOf(server)
  server.stdin?.write(Buffer.concat([framed(request(3)), framed(request(3))]))
  await expect.poll(() => answers.map(({ id }) => id).sort(), { timeout: 30_000 }).toEqual([3, null])
}, 40_000)

it('an input that ends within a message is answered', async () => {
  const server = startServer(scratchFolder())
  const answers = answersOf(server)
  server.stdin?.end(framed(request(5)).subarray(0, -4))
  await expect.poll(() => answers.map(({ error }) => error?.code), { timeout: 30_000 }).toEqual([-32700])
}, 40_000)

it('however the bytes are cut into parts, the same is read', () => {
  const bytes = Buffer.concat(broken.map(([, part]) => Buffer.concat([part, framed(request(9))])))
  const read = (size: number): string[] => {
    const seen: string[] = []
    const frames = new MessageFrames({
      onBody(body) {
        seen.push(`body ${body}`)
        return undefined
      },
      onBroken: ({ reason }) => seen.push(reason),
    })
    for (let at = 0; at < bytes.length; at += size) frames.push(bytes.subarray(at, at + size))
    frames.end()
    return seen
  }
  const whole = read(bytes.length)
  expect(whole.filter((each) => each === `body ${request(9)}`)).toHaveLength(broken.length)
  for (const size of [1, 13, 1000]) expect(read(size)).toEqual(whole)
})
