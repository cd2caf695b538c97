import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ChatServerOptions, type Policy, type Said, sendJson, startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, key, modelOf, openAi, testLlm } from './test-model.js'

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

  it('what broke off counts as the most that it could take, what was never made or was refused as nothing', async () => {
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
    expect(await Promise.all(urls.map(charged))).toEqual([1000, 1000, 0, 0])
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
    expect(calls[0]?.usage.outputTokens).toBe(Math.ceil(JSON.stringify(edited).length / 4))
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

describe('one answer that never came names model, endpoint and remedy', () => {
  it.each([500, 502, 503, 504, 529])('HTTP %i', async (status) => {
    const server = await serve(() => ({ status }))
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    const message = expect.stringMatching(
      /tiny at .*HTTP \d{3}.*Check that the endpoint is up, and the gateway in front of it\.$/,
    )
    expect(answer).toMatchObject({ kind: 'unavailable', message })
  })

  it('nobody listens', async () => {
    const answer = await askForEdits(testLlm().llm, modelOf(openAi('http://127.0.0.1:9/v1')))
    const message = expect.stringMatching(
      /127\.0\.0\.1:9.*no connection.*Check that the endpoint is up, and llm\.base_url\.$/,
    )
    expect(answer).toMatchObject({ kind: 'unavailable', message })
  })
})

describe('a server that has not loaded its model is waited for', () => {
  const loading: Said = { status: 503, error: { code: 503, message: 'Loading model' } }
  const loadsFor =
    (times: number): Policy =>
    ({ count }) =>
      count <= times ? loading : fine

  it('for longer than trouble is, and trouble after it has all of its tries', async () => {
    const server = await serve(({ count }) => (count <= 8 ? loading : count <= 11 ? { status: 500 } : fine))
    const { llm, calls } = testLlm()
    const model = modelOf(openAi(server.baseUrl), { timeoutMs: 60_000 })
    const warnings: string[] = []
    const warned = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', warned)
    expect(await askForEdits(llm, model)).toMatchObject({ kind: 'answer' })
    process.off('warning', warned)
    expect(calls).toHaveLength(12)
    expect(warnings).toEqual([])
  })

  it.each([
    ['llama.cpp', 'Loading model'],
    ['Hugging Face', 'Model tiny is currently loading'],
    ['a gateway', 'The model is not ready'],
  ])('until the deadline, with few calls, and then says so: %s', async (_name, message) => {
    const server = await serve(() => ({ status: 503, error: { message } }))
    let now = 0
    const whys: string[] = []
    const { llm, calls } = testLlm({
      clock: () => now,
      pause: async (ms, why) => {
        now += ms
        whys.push(why)
      },
    })
    const asking = askForEdits(llm, modelOf(openAi(server.baseUrl), { timeoutMs: 60_000 }))
    const told = expect.stringContaining(
      `the model is not loaded yet (HTTP 503: ${message}). Raise llm.timeout`,
    )
    expect(await asking).toMatchObject({ kind: 'unavailable', message: told })
    expect(now).toBeGreaterThan(58_000)
    expect(calls.length).toBeLessThan(13)
    expect(whys[0]).toContain(`${server.baseUrl}: the model is not loaded yet`)
  })

  it('an overloaded one is trouble', async () => {
    const server = await serve(() => ({
      status: 503,
      error: { message: 'The server is overloaded or not ready yet.' },
    }))
    const { llm, calls } = testLlm()
    await askForEdits(llm, modelOf(openAi(server.baseUrl)))
    expect(calls).toHaveLength(4)
  })

  it('by one of the questions that were told so: each look is a call', async () => {
    const server = await serve(loadsFor(9))
    const { llm, waits } = testLlm()
    const model = modelOf(openAi(server.baseUrl), { timeoutMs: 60_000 })
    const asked = ['a', 'b', 'c', 'd'].map((question) => askForEdits(llm, model, question))
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(Array(4).fill('answer'))
    expect([server.asked.length, waits.length]).toEqual([4 + 6 + 3, 6])
  })

  it('and a first answer that takes long holds no other question up', async () => {
    let finish = (): void => undefined
    const others = new Promise<void>((resolve) => {
      finish = resolve
    })
    const server = await serve(async ({ count }) => {
      if (count <= 2) return loading
      if (count === 3) await others
      return fine
    })
    const { llm } = testLlm()
    const model = modelOf(openAi(server.baseUrl), { timeoutMs: 20_000 })
    const asked = ['a', 'b'].map((question) => askForEdits(llm, model, question))
    expect(await Promise.race(asked)).toMatchObject({ kind: 'answer' })
    finish()
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['answer', 'answer'])
  })
})

describe('what will not pass ends the run with endpoint, model and remedy, and never the key', () => {
  it.each([
    [
      'a wrong key',
      () => ({ status: 401, error: { message: `Incorrect API key: ${key}` } }),
      'TEST_MODEL_KEY',
    ],
    ['an unknown model', () => ({ status: 404, error: { message: 'no such model' } }), 'model tiny'],
    [
      'no credit',
      () => ({ status: 429, error: { message: 'quota', code: 'insufficient_quota' } }),
      'no credit left (insufficient_quota)',
    ],
    ['no money', () => ({ status: 402, error: { message: 'pay first' } }), 'no credit left'],
    [
      'a wrong key, said with 200',
      raw((response) => sendJson(response, 200, { error: { code: 401, message: key } })),
      'TEST_MODEL_KEY',
    ],
    [
      'an option that the model lacks',
      () => ({ status: 400, error: { message: 'no temperature' } }),
      'check model, temp',
    ],
    [
      'a message of another form',
      raw((response) =>
        sendJson(response, 200, { choices: [{ finish_reason: 'stop', message: { content: {} } }] }),
      ),
      'Update the server',
    ],
    ['an empty reply', raw((response) => response.writeHead(200).end()), '`base_url`'],
    ['a redirect', () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }), 'llm.base_url'],
    [
      'a page of HTML',
      raw((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hi</html>')),
      '`base_url`',
    ],
    [
      'no finish_reason',
      raw((response) =>
        sendJson(response, 200, { choices: [{ finish_reason: null, message: { content: '{}' } }] }),
      ),
      'returns a finish_reason',
    ],
    ['no choices', raw((response) => sendJson(response, 200, { id: 'x' })), '`base_url`'],
    ['empty choices', raw((response) => sendJson(response, 200, { choices: [] })), 'Update the server'],
    [
      'a stream',
      raw((response) => response.writeHead(200).end('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')),
      'Turn off streaming',
    ],
    [
      'bad UTF-8',
      raw((response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0x7d]))),
      'must be UTF-8',
    ],
    ['another host', () => ({ status: 421, error: { message: 'misdirected' } }), 'another host name'],
    ['10 MB', raw((response) => response.writeHead(200).end('x'.repeat(10_000_000))), 'lower max_tokens'],
    [
      'a key that may not use the model',
      () => ({ status: 403, error: { message: 'no access' } }),
      'Check the key in TEST_MODEL_KEY, and that it may use tiny.',
    ],
    ...(['gzip', 'br'] as const).map((encoding): [string, Policy, string] => [
      `a body that is no ${encoding}`,
      raw((response) => response.writeHead(200, { 'content-encoding': encoding }).end('{"choices":[]}')),
      'Turn off compression',
    ]),
    [
      'a gzip bomb',
      raw((response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
      ),
      'base_url',
    ],
  ] satisfies [string, Policy, string][])('%s', async (_name, policy, remedy) => {
    const server = await serve(policy)
    const { llm, calls } = testLlm({ redact: (text) => text.replaceAll(key, '***') })
    const error = await askForEdits(llm, modelOf(openAi(server.baseUrl))).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'llm_rejected', message: expect.stringContaining(server.baseUrl) })
    expect(error).toMatchObject({ message: expect.stringContaining('tiny') })
    const { message, hint } = error as { message: string; hint: string }
    expect(hint).toContain(remedy)
    expect(`${message}${hint}${JSON.stringify(calls)}`).not.toContain(key)
    expect([calls.length, server.asked.length]).toEqual([1, 1])
  })

  it('what a server says of a request is shown whatever its form, and it is not called another kind', async () => {
    for (const body of [
      { detail: [{ msg: 'max_tokens' }] },
      { message: 'max_tokens' },
      [{ error: 'max_tokens' }],
    ]) {
      const server = await serve(raw((response) => sendJson(response, 422, body)))
      const asking = askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
      const message = expect.stringMatching(/HTTP 422: .*max_tokens"?[^;]*$/)
      await expect(asking).rejects.toMatchObject({ code: 'llm_rejected', message })
    }
  })

  it('an answer without finish_reason may be cut; the endpoint is not called another kind', async () => {
    for (const choice of [{ finish_reason: null }, { finish_reason: '' }, {}]) {
      const server = await serve(
        raw((response) =>
          sendJson(response, 200, { choices: [{ ...choice, message: { content: '{"edits":[]}' } }] }),
        ),
      )
      const asking = askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
      const message = `tiny at ${server.baseUrl}: the reply has no finish_reason, so it may be truncated`
      await expect(asking).rejects.toMatchObject({ code: 'llm_rejected', message })
    }
  })

  it('an error that is no gzip is told with its status', async () => {
    const server = await serve(
      raw((response) => response.writeHead(401, { 'content-encoding': 'gzip' }).end('{"error":"x"}')),
    )
    const message = expect.stringContaining('HTTP 401: its answer does not match its Content-Encoding')
    await expect(askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))).rejects.toMatchObject({
      message,
    })
  })

  it('a host that does not exist', async () => {
    const { llm } = testLlm()
    const model = modelOf(openAi('http://no-such-host.invalid/v1'))
    await expect(askForEdits(llm, model)).rejects.toMatchObject({ code: expect.stringMatching(/^llm_/) })
  })
})

describe('the deadline covers the whole call', () => {
  it.each([
    ['no headers', raw(() => undefined)],
    ['a body that stalls', raw((response) => void response.writeHead(200).write('{"choices":'))],
    ['a wait that is asked for', () => ({ status: 429, headers: { 'retry-after': '600' } })],
  ] satisfies [string, Policy][])('%s', async (_name, policy) => {
    const server = await serve(policy)
    const { llm } = testLlm()
    const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl), { timeoutMs: 400 }))
    expect(answer).toMatchObject({ kind: 'unavailable' })
  })

  it('what is taken back before it is sent costs nothing', async () => {
    const server = await serve(() => fine)
    const { llm, calls } = testLlm()
    const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl)), 'repair it', AbortSignal.abort())
    expect(answer).toEqual({ kind: 'unavailable', message: 'interrupted' })
    expect([calls, server.asked]).toEqual([[], []])
  })

  it('an abort ends it at once', async () => {
    const server = await serve(raw(() => undefined))
    const { llm } = testLlm()
    const asking = askForEdits(llm, modelOf(openAi(server.baseUrl)), 'x', AbortSignal.timeout(100))
    expect(await asking).toEqual({ kind: 'unavailable', message: 'interrupted' })
  })
})

describe('an answer that cannot be taken is asked for once more', () => {
  const choice = (finish: string, message: unknown): Policy =>
    raw((response) => sendJson(response, 200, { choices: [{ finish_reason: finish, message }] }))
  const call = (name: string) => ({ function: { name, arguments: JSON.stringify(fine) } })
  const choices = (...all: readonly unknown[]): Policy =>
    raw((response) => sendJson(response, 200, { choices: all }))
  const choiceOf = (content: string) => ({ finish_reason: 'stop', message: { content } })
  const one = JSON.stringify(choiceOf(JSON.stringify(edited)))

  it.each([
    ['cut at max_tokens', choice('length', { content: '{}' }), 'truncated at max_tokens. Raise max_tokens'],
    ['a content filter', choice('content_filter', { content: '' }), 'content_filter'],
    ['a refusal', choice('stop', { content: null, refusal: 'I cannot' }), 'refused: I cannot'],
    ['a tool of another type', choice('tool_calls', { tool_calls: [{ custom: {} }] }), 'is not a function'],
    ['another tool', choice('tool_calls', { tool_calls: [call('rm')] }), 'the tool rm'],
    [
      'two answers',
      choice('tool_calls', { tool_calls: [call('submit_result'), call('submit_result')] }),
      '2 tools at once',
    ],
    ['nothing', choice('stop', { content: '' }), 'empty'],
    [
      'nothing but thoughts',
      choice('stop', { content: null, reasoning_content: '{"edits":[]}' }),
      'empty, it has only reasoning. Check the server',
    ],
    [
      'a call that Groq could not read',
      () => ({ status: 400, error: { code: 'tool_use_failed', message: 'Failed to call a function.' } }),
      'Failed to call a function',
    ],
    ['no parts', choice('stop', { content: [] }), 'empty'],
    [
      'a part that is no text',
      choice('stop', {
        content: [
          { type: 'text', text: '{}' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      }),
      'a part of type image_url',
    ],
    ['a part of text without text', choice('stop', { content: [{ type: 'text' }] }), 'a part of type text'],
    [
      'arguments that are a list',
      choice('tool_calls', { tool_calls: [{ function: { name: 'submit_result', arguments: [1] } }] }),
      'not a JSON object',
    ],
    [
      'arguments that are a number',
      choice('tool_calls', { tool_calls: [{ function: { name: 'submit_result', arguments: 1 } }] }),
      'arguments of its tool call',
    ],
    [
      'arguments that are an object with a key twice',
      raw((response) =>
        response.end(
          '{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"function":{"name":"submit_result","arguments":{"edits":[],"edits":[1]}}}]}}]}',
        ),
      ),
      'the key edits twice',
    ],
    ['choices that differ', choices(choiceOf('{"a":1}'), choiceOf('{"a":2}')), '2 choices, which differ'],
    [
      'choices of which one alone is an answer',
      choices(choiceOf(JSON.stringify(edited)), { finish_reason: 'length', message: {} }),
      '2 choices, which differ',
    ],
    [
      'choices that are there twice',
      raw((response) => response.end(`{"choices":[${one}],"choices":[${one}]}`)),
      'the key choices twice',
    ],
    [
      'content that is there twice',
      raw((response) =>
        response.end(`{"choices":[${one.replace('"content"', '"content":"{}","content"')}]}`),
      ),
      'the key content twice',
    ],
  ] satisfies [string, Policy, string][])('%s', async (_name, policy, message) => {
    const server = await serve(policy)
    const { llm, calls } = testLlm()
    const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl)))
    expect(answer).toMatchObject({ kind: 'unusable', message: expect.stringContaining(message) })
    // Each names something that can be done.
    expect(answer).toMatchObject({ message: expect.stringMatching(/\. (?:Check|Raise) .*\.$/) })
    expect(calls).toHaveLength(2)
  })

  it.each([['eos'], ['eos_token'], ['end_turn'], ['function_call'], ['STOP']])(
    'that ended with %s is whole',
    async (finish) => {
      const content = JSON.stringify('answer' in fine ? fine.answer : '')
      const server = await serve(choice(finish, { content }))
      const { llm, calls } = testLlm()
      expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
      expect(calls).toHaveLength(1)
    },
  )

  it.each([
    ['choices that say the same', `{"choices":[${one},${one}]}`],
    ['a key twice beside the choices', `{"model":"a","model":"b","choices":[${one}]}`],
  ])('%s are one answer', async (_name, body) => {
    const server = await serve(raw((response) => response.end(body)))
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
    expect(calls).toHaveLength(1)
  })

  it('arguments that are an object are taken as they are', async () => {
    const object = 'answer' in fine ? fine.answer : {}
    const server = await serve(
      choice('tool_calls', { tool_calls: [{ function: { name: 'submit_result', arguments: object } }] }),
    )
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    expect(answer).toMatchObject({ kind: 'answer' })
  })

  it('a part that is a thought is not looked into', async () => {
    const text = JSON.stringify('answer' in fine ? fine.answer : '')
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: '{"edits":[{}]}' }] }
    const server = await serve(choice('stop', { content: [thinking, { type: 'text', text }] }))
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    expect(answer).toMatchObject({ kind: 'answer' })
  })

  it('parts of text are one answer', async () => {
    const text = JSON.stringify('answer' in fine ? fine.answer : '')
    const content = [text.slice(0, 9), text.slice(9)].map((part) => ({ type: 'text', text: part }))
    const server = await serve(choice('stop', { content }))
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['bare', { object: 'error', message: "This model's maximum context length is 9000 tokens", code: 400 }],
    ['as detail', { detail: "This model's maximum context length is 9000 tokens" }],
    ['in a list', [{ error: { message: 'maximum context length' } }]],
    ['as text', { error: 'maximum context length' }],
  ])('a prompt that is too long, said %s', async (_name, body) => {
    const server = await serve(raw((response) => sendJson(response, 400, body)))
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    const message = expect.stringContaining('maximum context length')
    expect(answer).toMatchObject({ kind: 'too_long', message })
  })

  it('a prompt that is too long is a finding of its own', async () => {
    const server = await serve(() => ({
      status: 400,
      error: { code: 'context_length_exceeded', message: 'x' },
    }))
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'too_long' })
    expect(calls).toHaveLength(1)
  })

  it('a server that says bare that it has no tools is asked otherwise', async () => {
    const server = await serve((asked) =>
      asked.tools === undefined
        ? fine
        : { raw: (response) => sendJson(response, 400, { object: 'error', message: 'no tool choice' }) },
    )
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    expect([answer.kind, server.asked.length]).toEqual(['answer', 2])
  })

  it.each([
    ['tools', ['tools']],
    ['tools and schemas', ['tools', 'response_format']],
  ] satisfies [string, ChatServerOptions['refuses']][])(
    'a server without %s is asked otherwise',
    async (_name, refuses) => {
      const server = await serve(() => fine, { refuses: refuses ?? [] })
      const { llm, calls } = testLlm()
      const model = modelOf(openAi(server.baseUrl))
      expect(await askForEdits(llm, model)).toMatchObject({ kind: 'answer' })
      expect(calls).toHaveLength(1 + (refuses?.length ?? 0))
      expect(await askForEdits(llm, model, 'again')).toMatchObject({ kind: 'answer' })
      expect(calls).toHaveLength(2 + (refuses?.length ?? 0))
    },
  )
})

describe('the key', () => {
  it('is not sent where none is configured, and goes nowhere by a redirect', async () => {
    const seen: (string | undefined)[] = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      sendJson(response, 200, {})
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const server = await serve(() => ({ status: 307, headers: { location: `http://127.0.0.1:${port}/` } }))
    await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl))).catch(() => undefined)
    expect(seen).toEqual([])
    const direct = modelOf(openAi(`http://127.0.0.1:${port}/v1`, null))
    await askForEdits(testLlm().llm, direct).catch(() => undefined)
    expect(seen).toEqual([undefined])
  })
})

it('says how long a request is: some servers take none in chunks', async () => {
  let headers: IncomingHttpHeaders = {}
  const server = createServer((request, response) => {
    headers = request.headers
    request.resume().on('end', () => sendJson(response, 200, {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  await askForEdits(testLlm().llm, modelOf(openAi(url)), 'repair it: é').catch(() => undefined)
  expect(Number(headers['content-length'])).toBeGreaterThan(100)
  expect(headers['transfer-encoding']).toBeUndefined()
})

it('sends nothing that the SDK finds in the environment: it may be the key of another endpoint', async () => {
  const environment = {
    OPENAI_CUSTOM_HEADERS: 'Authorization: Bearer sk-of-another\nX-Api-Key: sk-of-another',
    OPENAI_ORG_ID: 'org-of-another',
    OPENAI_PROJECT_ID: 'project-of-another',
    OPENAI_API_KEY: 'sk-of-another',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const seen: string[] = []
  const other = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers))
    sendJson(response, 200, {})
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`
  for (const provider of [openAi(url), openAi(url, null)])
    await askForEdits(testLlm().llm, modelOf(provider)).catch(() => undefined)
  expect(seen).toHaveLength(2)
  expect(seen.join()).not.toContain('of-another')
  expect(seen.map((headers) => headers.includes(key))).toEqual([true, false])
})

it('a question that waited for the answer of another does not break with it', async () => {
  const server = await serve(raw(() => undefined))
  const { llm } = testLlm()
  const model = modelOf(openAi(server.baseUrl))
  const short = askForEdits(llm, { ...model, timeoutMs: 200 })
  const long = askForEdits(llm, model)
  expect((await Promise.all([short, long])).map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable'])
  expect(server.asked).toHaveLength(1)
})
