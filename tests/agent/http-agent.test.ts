import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { httpAgent } from '../../src/agent/http-agent.js'
import { templateAgent } from '../../src/agent/template-agent.js'
import { loadSnapshot } from '../../src/snapshot/load.js'
import { createRedactor } from '../../src/text/secrets.js'
import { agentContract, ask, dauFiles, snapshotOf } from '../contracts/agent.contract.js'

const token = 'tok-4711-secret'
const longSql = `SELECT ${Array.from({ length: 400 }, (_, at) => at * 7919).join(', ')}`
/** An answer, compressed, of which half is missing. */
const compressed = gzipSync(JSON.stringify({ type: 'sql', sql: longSql }))
const half = compressed.subarray(0, compressed.length / 2)

async function serve(listener: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/ask`, close }
}

const redact = createRedactor({ OTHER_KEY: 'another-secret-4711' })
const options = { kbFolder: 'kb', timeoutMs: 2000, deterministic: true, token, tokenEnv: 'MY_TOKEN', redact }
const template = templateAgent({ kbFolder: 'kb' })

/** A service that answers from the folder that it is told of. */
const service: RequestListener = (request, response) => {
  let text = ''
  request.on('data', (part) => {
    text += String(part)
  })
  request.on('end', async () => {
    const { id, question, kb, dialect, as_of: asOf } = JSON.parse(text)
    const { snapshot } = await loadSnapshot(kb.slice(0, -'/kb'.length), ['kb'])
    const sample = await template.ask({ id, question, dialect, asOf, sample: 0 }, snapshot)
    const { kind, ...rest } = sample
    const answer = sample.kind === 'answer' ? { type: 'sql', sql: sample.text } : { type: kind }
    response.end(JSON.stringify({ ...rest, ...answer }))
  })
}

describe('an agent behind http', () => {
  let address = ''
  let closeService = (): void => undefined
  beforeAll(async () => {
    const { url, close } = await serve(service)
    address = url
    closeService = close
  })
  afterAll(() => closeService())

  agentContract(() => httpAgent({ ...options, url: address }))

  const answerOf = async (listener: RequestListener, more = {}) => {
    const { url, close } = await serve(listener)
    onTestFinished(close)
    const agent = httpAgent({ ...options, url, ...more })
    onTestFinished(() => agent.close())
    return agent.ask(ask('TH DAU in 2025'), snapshotOf(dauFiles))
  }

  it('sends its token, and asks again while the service is away', async () => {
    const seen: (string | undefined)[] = []
    const sample = await answerOf((request, response) => {
      seen.push(request.headers.authorization)
      if (seen.length === 1) response.writeHead(503, { 'retry-after': '0' }).end()
      else response.end('{"type":"sql","sql":"SELECT 1"}')
    })
    expect(sample).toMatchObject({ kind: 'answer', read: 'all' })
    expect(seen).toEqual([`Bearer ${token}`, `Bearer ${token}`])
  })

  it.each([
    ['a page', (_: unknown, response) => response.end('<html>'), /is not one JSON value: <html>/],
    ['its token', (_: unknown, response) => response.writeHead(500).end(token), /HTTP 500: \*\*\*/],
    [
      'a key twice',
      (_: unknown, response) => response.end('{"type":"sql","sql":"SELECT 1","sql":"SELECT 2"}'),
      /: the answer is ambiguous: it has the key sql twice in one object/,
    ],
    ['too much', (_: unknown, response) => response.end('x'.repeat(2_000_000)), /more than 1 MB/],
    [
      'a redirect',
      (_: unknown, response) => response.writeHead(302, { location: '/' }).end(),
      /HTTP 302: a redirect to \//,
    ],
    [
      'other bytes',
      (_: unknown, response) => response.end(Buffer.from('{"type":"sql","sql":"\xff"}', 'latin1')),
      /is not UTF-8/,
    ],
    [
      'no gzip',
      (_: unknown, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('{"type":"sql","sql":"SELECT 1"}'),
      /: its answer does not match its Content-Encoding \(Z_DATA_ERROR\)/,
    ],
    [
      'a compression of its own',
      (_: unknown, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip, sqz' }).end(Buffer.from([1, 2, 3])),
      /: its answer has an unrequested compression \(Content-Encoding: sqz\)/,
    ],
  ] satisfies [string, RequestListener, RegExp][])(
    'answered with %s is an error',
    async (_name, listener, message) => {
      const sample = await answerOf(listener)
      expect(sample).toMatchObject({ kind: 'error', message: expect.stringMatching(message) })
    },
  )

  it.each([
    [
      401,
      'MY_TOKEN',
      / rejects the token of MY_TOKEN, .*Authorization: Bearer \(HTTP 401: no \*\*\*\)$/,
      /MY_TOKEN/,
    ],
    [403, undefined, / requires a token, and none is configured \(HTTP 403: no /, /agent\.token_env/],
  ])('a token that is refused with HTTP %i ends all', async (status, tokenEnv, message, hint) => {
    let calls = 0
    const { url, close } = await serve((_, response) => {
      calls++
      response.writeHead(status).end(`no ${token}`)
    })
    onTestFinished(close)
    const agent = httpAgent({ ...options, url, tokenEnv })
    onTestFinished(() => agent.close())
    for (let question = 0; question < 3; question++)
      await expect(agent.ask(ask('TH DAU in 2025'), snapshotOf(dauFiles))).rejects.toMatchObject({
        code: 'agent_invalid',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      })
    expect(calls).toBe(1)
  })

  it.each([150, 190, 195])('shows no part of a secret behind %i characters', async (before) => {
    for (const secret of [token, 'another-secret-4711']) {
      const sample = await answerOf((_, response) => response.writeHead(400).end('x'.repeat(before) + secret))
      expect(JSON.stringify(sample)).toContain('HTTP 400')
      expect(JSON.stringify(sample)).not.toMatch(/tok-|anot/)
    }
  })

  it('reads an answer behind a byte order mark', async () => {
    const sample = await answerOf((_, response) => response.end('\ufeff{"type":"sql","sql":"SELECT 1"}'))
    expect(sample).toMatchObject({ kind: 'answer', text: 'SELECT 1' })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    [
      'breaks within the answer',
      (response) => {
        response.writeHead(200, { 'content-length': 40 })
        response.write('{"type":"sql"')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    [
      'ends a compressed answer early',
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(half)
      },
    ],
  ])('asks again where the connection %s', async (_name, breaking) => {
    let asked = 0
    const sample = await answerOf((_request, response) => {
      asked += 1
      if (asked === 1) breaking(response)
      else response.end('{"type":"sql","sql":"SELECT 1"}')
    })
    expect(sample).toMatchObject({ kind: 'answer', text: 'SELECT 1' })
    expect(asked).toBe(2)
  })

  it('says that answers ended early, where all of them do', async () => {
    const sample = await answerOf(
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(half),
      { timeoutMs: 5000 },
    )
    expect(sample).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('its answer ended early'),
    })
  })

  it('does not ask again a service whose interim responses Node refuses', async () => {
    let asked = 0
    const sample = await answerOf((_request, response) => {
      asked += 1
      response.writeContinue()
      response.end('{"type":"sql","sql":"SELECT 1"}')
    })
    expect(sample).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('an unrequested interim response (HTTP 100 or 101)'),
    })
    expect(asked).toBe(1)
  })

  it('asks again after HTTP 500', async () => {
    let asked = 0
    const sample = await answerOf((_, response) => {
      if (asked++ === 0) response.writeHead(500).end()
      else response.end('{"type":"sql","sql":"SELECT 1"}')
    })
    expect([sample.kind, asked]).toEqual(['answer', 2])
  })

  it('gives up at once where it is to wait longer than it may, and says so', async () => {
    let asked = 0
    const sample = await answerOf((_, response) => {
      asked++
      response.writeHead(429, { 'retry-after': '3600' }).end('busy')
    })
    expect(sample).toMatchObject({
      message: expect.stringMatching(/HTTP 429: busy; it asks to wait 3600 s$/),
    })
    expect(asked).toBe(1)
  })

  it('says where a redirect leads, and what to do', async () => {
    const location = `http://other/?key=${token}`
    const sample = await answerOf((_, response) => response.writeHead(307, { location }).end())
    expect(sample).toMatchObject({
      message: expect.stringContaining('a redirect to http://other/?key=***'),
      detail: expect.stringContaining('agent.url'),
    })
  })

  it('keeps its deadline over a body that stalls', async () => {
    const sample = await answerOf((_, response) => void response.writeHead(200).write('{'), {
      timeoutMs: 300,
    })
    expect(sample).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('no answer within 0.3 s'),
    })
  })
})
