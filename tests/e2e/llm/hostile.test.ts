import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { startChatServer } from '../../llm/chat-server.js'
import { inOurForm } from '../../llm/hostile-form.js'
import { needsShared } from '../../needs.js'
import { autotest, removeFolders } from '../sample.js'
import { drifted, userFiles } from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

const file = new URL('../../../../shared/hostile/llm_replies.json', import.meta.url)
const schema = z.object({
  replies: z.array(z.object({ id: z.string(), reply: z.string().nullable(), expect: z.string() })),
  transport: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      expect: z.string(),
      http: z.object({
        status: z.int().optional(),
        headers: z.record(z.string(), z.string()).optional(),
        body: z.unknown().optional(),
        hang: z.string().optional(),
        sse: z.array(z.string()).optional(),
        reset: z.boolean().optional(),
        gzipZeros: z.int().optional(),
      }),
    }),
  ),
})
const listed = existsSync(file)
  ? schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  : { replies: [], transport: [] }

const flags = ['--repairer', 'llm', '--agent', 'template', '--max-retries', '1', '--no-commit']
const files = { ...drifted, 'kb/notes/ok.md': 'x marks a spot.\n' }

/** Where the reply is read, it makes a plan that serves nobody, or none. */
const plan = /target cases still fail|the model proposes no edit/
const refusal = /its answer: |plan of the model rejected: /

async function answered(text: string | null) {
  const server = await startChatServer(() => ({ text }), { key: modelKey })
  onTestFinished(() => server.close())
  const dir = llmProject(server.baseUrl, files)
  const before = userFiles(dir)
  const run = await autotest(dir, flags, keyed)
  expect(run.code).toBe(1)
  expect(userFiles(dir)).toEqual(before)
  return { out: run.out, asked: server.asked.length }
}

describe('a repairer that answers', needsShared('hostile/llm_replies.json'), () => {
  it('what is listed is present', () => {
    expect(listed.replies.length).toBeGreaterThan(0)
  })

  it.each(listed.replies)('$id writes nothing: $expect', async ({ reply, expect: wanted }) => {
    const { out, asked } = await answered(inOurForm(reply))
    expect(out).toMatch(wanted === 'accept' ? plan : refusal)
    expect(asked).toBe(wanted === 'accept' ? 1 : 2)
  })

  it('its analysis alone proposes nothing, and is told', async () => {
    const { out, asked } = await answered('{"edits":[],"analysis":"=HYPERLINK(\\"http://x\\")"}')
    expect(out).toContain('the model proposes no edit: =HYPERLINK("http://x")')
    expect(asked).toBe(1)
  })
})

function respond(response: ServerResponse, http: (typeof listed.transport)[number]['http']): void {
  if (http.hang !== undefined) return
  if (http.reset === true) {
    response.socket?.resetAndDestroy()
    return
  }
  if (http.sse !== undefined) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(http.sse.map((each) => `data: ${each}\n\n`).join(''))
    return
  }
  if (http.gzipZeros !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const zip = createGzip()
    zip.pipe(response)
    const block = Buffer.alloc(1 << 20)
    let left = http.gzipZeros
    const more = (): void => {
      while (left > 0) {
        left -= block.length
        if (!zip.write(block)) {
          zip.once('drain', more)
          return
        }
      }
      zip.end()
    }
    more()
    return
  }
  response.writeHead(http.status ?? 200, { 'content-type': 'application/json', ...http.headers })
  response.end(http.body === undefined ? '' : JSON.stringify(http.body))
}

/** What comes of it: exit code and calls of one question. */
const outcomes: Readonly<Record<string, readonly [codes: readonly number[], calls: number, said: RegExp]>> = {
  'fail-fast': [[1], 1, /HTTP 429; it asks to wait 3600 s/],
  retry: [[1], 4, /HTTP 429|HTTP 529|the connection was lost/],
  'abort-run': [[2], 1, /HTTP 401/],
  'shrink-or-fail': [[1], 1, /longer context/],
  timeout: [[1], 1, /no answer within 10 s/],
  // A reply that is cut is asked for once more; what no server of the protocol says ends the run.
  reject: [
    [1, 2],
    2,
    /was cut at|no usable choice|ended before the answer did|is not one of chat completions|a redirect|larger than 4 MB/,
  ],
}

describe('a transport', needsShared('hostile/llm_replies.json'), () => {
  it('what is listed is present', () => {
    expect(listed.transport.length).toBeGreaterThan(0)
  })

  it.each(listed.transport)('$id $name: $expect', { timeout: 60_000 }, async ({ http, expect: wanted }) => {
    let asked = 0
    const server: Server = createServer((request, response) => {
      asked++
      request.resume()
      respond(response, http)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const dir = llmProject(`http://127.0.0.1:${port}/v1`, files)
    const before = userFiles(dir)
    const run = await autotest(dir, flags, keyed)
    const [codes, calls, said] = outcomes[wanted] ?? [[], 0, /^$/]
    expect(codes).toContain(run.code)
    expect(asked).toBeLessThanOrEqual(calls)
    if (wanted !== 'reject') expect(asked).toBe(calls)
    expect(run.out).toMatch(said)
    expect(userFiles(dir)).toEqual(before)
    expect(run.out + run.err).not.toContain(modelKey)
  })
})
