import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChatServerOptions, type Policy, type Said, sendJson, startChatServer } from '../chat-server.js'
import { askForEdits, key, modelOf, openAi, testLlm } from '../test-model.js'

async function serve(policy: Policy, options: ChatServerOptions = {}) {
  const server = await startChatServer(policy, options)
  onTestFinished(() => server.close())
  return server
}
const raw =
  (write: Extract<Said, { raw: unknown }>['raw']): Policy =>
  () => ({ raw: write })

describe('one answer that never came names model, endpoint and remedy', () => {
  it.each([500, 502, 503, 504, 529])('HTTP %i', async (status) => {
    const server = await serve(() => ({ status }))
    const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
    const message = expect.stringMatching(
      /tiny at .*HTTP \d{3}.*Check that the endpoint is up, and the gateway in front of it\.$/,
    )
    expect(answer).toMatchObject({ kind: 'unavailable', message })
  })

  it.each([
    [{ 'x-should-retry': 'false' }, /HTTP 502/],
    [{ 'x-litellm-attempted-retries': '2' }, /HTTP 502.*the gateway asked 3 times/],
  ] satisfies [Record<string, string>, RegExp][])(
    'a gateway that retries by itself is asked once: %j',
    async (headers, message) => {
      const server = await serve(() => ({ status: 502, headers }))
      const answer = await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl)))
      expect(answer).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(message) })
      expect(server.asked).toHaveLength(1)
    },
  )

  it('nobody listens', async () => {
    const answer = await askForEdits(testLlm().llm, modelOf(openAi('http://127.0.0.1:9/v1')))
    const message = expect.stringMatching(
      /127\.0\.0\.1:9.*no connection.*Check that the endpoint is up, and llm\.base_url\.$/,
    )
    expect(answer).toMatchObject({ kind: 'unavailable', message })
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
      'a stream of something else',
      raw((response) => response.writeHead(200).end('data: {"choices":7}\n\ndata: [DONE]\n\n')),
      '`base_url`',
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
