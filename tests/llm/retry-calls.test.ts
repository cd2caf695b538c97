import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChatServerOptions, type Policy, type Said, sendJson, startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, modelOf, openAi, testLlm } from './test-model.js'

async function serve(policy: Policy, options: ChatServerOptions = {}) {
  const server = await startChatServer(policy, options)
  onTestFinished(() => server.close())
  return server
}

const fine: Said = edits('nothing', [])
const edited = 'answer' in fine ? fine.answer : undefined
const raw =
  (write: Extract<Said, { raw: unknown }>['raw']): Policy =>
  () => ({ raw: write })

/** Trouble once, then an answer. */
const once =
  (trouble: Said): Policy =>
  ({ count }) =>
    count === 1 ? trouble : fine

describe('trouble that passes is waited for, and every try is charged', () => {
  it.each([
    ['429', { status: 429 }, 375],
    ['429 that asks for 2 s', { status: 429, headers: { 'retry-after': '2' } }, 2000],
    ['429 with a negative wait', { status: 429, headers: { 'retry-after': '-5' } }, 375],
    ['429 with no wait at all', { status: 429, headers: { 'retry-after': 'soon; 5' } }, 375],
    ['429 that asks for half a second', { status: 429, headers: { 'retry-after': '0.5' } }, 500],
    [
      'OpenAI, to the millisecond',
      { status: 429, headers: { 'retry-after-ms': '1234', 'retry-after': '2' } },
      1234,
    ],
    [
      'Gemini, in words',
      {
        status: 429,
        error: { code: 429, message: 'You exceeded your current quota. Please retry in 3.5s.' },
      },
      3500,
    ],
    [
      'Azure, in words',
      { status: 429, error: { message: 'Rate limit is exceeded. Try again in 4 seconds.' } },
      4000,
    ],
    ['OpenAI, in words', { status: 429, error: { message: 'Please try again in 20ms. Visit' } }, 20],
    ['529', { status: 529 }, 375],
    ['503', { status: 503 }, 375],
    [
      '429 said with 200',
      {
        raw: (response) =>
          sendJson(response, 200, { error: { code: 429, message: 'upstream' } }, { 'retry-after': '2' }),
      },
      2000,
    ],
    [
      'an error without a status, said with 200',
      { raw: (response) => sendJson(response, 200, { error: { message: 'out of memory' } }) },
      375,
    ],
    ['a reset', { raw: (response) => void response.socket?.destroy() }, 375],
    [
      'a body that is cut',
      {
        raw: (response) => {
          response.writeHead(200, { 'content-length': '1000' })
          response.write('{"choices":')
          setTimeout(() => response.socket?.destroy(), 20)
        },
      },
      375,
    ],
  ] satisfies [string, Said, number][])('%s', async (_name, trouble, wait) => {
    const server = await serve(once(trouble))
    const { llm, calls, waits } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
    expect([calls.length, waits]).toEqual([2, [wait]])
  })

  it.each([
    ...(['gzip', 'br', 'deflate'] as const).flatMap((encoding) =>
      [0.05, 0.5, 0.8].map((part) => [encoding, part] as const),
    ),
    ...[0.05, 0.5, 0.6, 0.8, 0.95].map((part) => ['no length', part] as const),
  ])('a body of %s that ends after %f of it is a broken connection', async (encoding, part) => {
    const content = `${'é'.repeat(150)}${JSON.stringify('answer' in fine ? fine.answer : '')}`
    const whole = Buffer.from(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] }))
    const packed = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, 'no length': Buffer.from }
    const body = packed[encoding](whole)
    const server = await serve(
      once({
        raw: (response) => {
          const headers = encoding === 'no length' ? {} : { 'content-encoding': encoding }
          response.useChunkedEncodingByDefault = false
          response.writeHead(200, { connection: 'close', ...headers })
          response.end(body.subarray(0, Math.floor(body.length * part)))
        },
      }),
    )
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
    expect(calls.map(({ completion, usage }) => [completion, usage.outputTokens])).toEqual([
      [expect.objectContaining({ failure: 'transient', message: 'its answer ended early' }), 1000],
      [expect.objectContaining({ kind: 'reply' }), expect.any(Number)],
    ])
  })

  it('what broke off counts as the most that it could take, what was reset before any byte as what fits its time, what was refused as nothing', async () => {
    const cut: Policy = raw((response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"choices":')
      setTimeout(() => response.socket?.destroy(), 20)
    })
    const reset: Policy = raw((response) => void response.socket?.destroy())
    const refused: Policy = () => ({ status: 503 })
    const charged = async (baseUrl: string): Promise<number> => {
      const { llm, calls } = testLlm()
      await askForEdits(llm, modelOf(openAi(baseUrl)))
      return calls[0]?.usage.outputTokens ?? Number.NaN
    }
    const served = await Promise.all([cut, reset, refused].map((policy) => serve(policy)))
    const urls = [...served.map(({ baseUrl }) => baseUrl), 'http://127.0.0.1:1/v1']
    const [broken, early = 0, ...unmade] = await Promise.all(urls.map(charged))
    expect([broken, ...unmade]).toEqual([1000, 0, 0])
    expect(early).toBeGreaterThan(0)
    expect(early).toBeLessThan(900)
  })

  it('a minute is waited for', async () => {
    const server = await serve(once({ status: 429, headers: { 'retry-after': '59' } }))
    const { llm, waits } = testLlm()
    const model = modelOf(openAi(server.baseUrl), { timeoutMs: 120_000 })
    expect(await askForEdits(llm, model)).toMatchObject({ kind: 'answer' })
    expect(waits).toEqual([59_000])
  })

  it('a server that counts no tokens is charged by the length of what was said', async () => {
    const server = await serve(() => ({
      raw: (response) =>
        sendJson(response, 200, {
          choices: [{ finish_reason: 'stop', message: { content: JSON.stringify(edited) } }],
          usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
        }),
    }))
    const { llm, calls } = testLlm()
    await askForEdits(llm, modelOf(openAi(server.baseUrl)))
    expect(calls[0]?.usage.inputTokens).toBeGreaterThan(10)
    expect(calls[0]?.usage.outputTokens).toBe(Math.ceil(JSON.stringify(edited).length / 3))
  })

  it('an hour is not waited for', async () => {
    const server = await serve(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    const { llm, calls, waits } = testLlm()
    const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl)))
    const message = expect.stringMatching(/HTTP 429: no; it asks to wait 3600 s\. It limits the request rate/)
    expect(answer).toMatchObject({ kind: 'unavailable', message })
    expect([calls.length, waits]).toEqual([1, []])
  })

  it('for ever: after three answers that never came, the run ends', async () => {
    const server = await serve(() => ({ status: 429 }))
    const { llm } = testLlm()
    const model = modelOf(openAi(server.baseUrl))
    for (const question of ['a', 'b'])
      expect(await askForEdits(llm, model, question)).toMatchObject({ kind: 'unavailable' })
    await expect(askForEdits(llm, model, 'c')).rejects.toMatchObject({
      code: 'llm_unavailable',
      hint: expect.stringMatching(/limits the request rate: lower `limits.concurrency`.* --resume\.$/),
    })
    expect(server.asked).toHaveLength(12)
    // Queued requests are not sent.
    await expect(askForEdits(llm, model, 'd')).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(server.asked).toHaveLength(12)
  })

  it('is told without what would move the cursor of a terminal', async () => {
    const server = await serve(() => ({
      status: 500,
      error: { message: '\u001b]0;owned\u0007\u001b[2Jdown' },
    }))
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    expect(answer).toMatchObject({ message: expect.stringContaining('HTTP 500: ]0;owned [2Jdown') })
  })
})
