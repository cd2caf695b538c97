import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { httpAgent } from '../../src/agent/http.js'
import { templateAgent } from '../../src/agent/template.js'
import { loadSnapshot } from '../../src/snapshot/load.js'
import { agentContract, ask, dauFiles, snapshotOf } from '../contracts/agent.contract.js'

const token = 'tok-4711-secret'

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

const options = { kbFolder: 'kb', timeoutMs: 2000, deterministic: true, token, tokenEnv: 'MY_TOKEN' }
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
    response.end(JSON.stringify({ type: kind, ...rest }))
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
    return httpAgent({ ...options, url, ...more }).ask(ask('TH DAU in 2025'), snapshotOf(dauFiles))
  }

  it('sends its token, and asks again while the service is away', async () => {
    const seen: (string | undefined)[] = []
    const sample = await answerOf((request, response) => {
      seen.push(request.headers.authorization)
      if (seen.length === 1) response.writeHead(503, { 'retry-after': '0' }).end()
      else response.end('{"type":"sql","sql":"SELECT 1"}')
    })
    expect(sample).toMatchObject({ kind: 'sql', read: 'all' })
    expect(seen).toEqual([`Bearer ${token}`, `Bearer ${token}`])
  })

  it.each([
    ['401', (_: unknown, response) => response.writeHead(401).end(), /wants another token .* check MY_TOKEN/],
    ['a page', (_: unknown, response) => response.end('<html>'), /is not one JSON value: <html>/],
    ['its token', (_: unknown, response) => response.writeHead(500).end(token), /HTTP 500: \*\*\*/],
    ['too much', (_: unknown, response) => response.end('x'.repeat(2_000_000)), /more than 1 MB/],
    ['a redirect', (_: unknown, response) => response.writeHead(302, { location: '/' }).end(), /HTTP 302/],
  ] satisfies [string, RequestListener, RegExp][])(
    'answered with %s is an error',
    async (_name, listener, message) => {
      const sample = await answerOf(listener)
      expect(sample).toMatchObject({ kind: 'error', message: expect.stringMatching(message) })
    },
  )

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
