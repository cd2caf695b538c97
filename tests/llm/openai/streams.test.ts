import { describe, expect, it, onTestFinished } from 'vitest'
import type { Endpoint } from '../../../src/config/config.js'
import { type Policy, startChatServer } from '../chat-server.js'
import { askForEdits, modelOf, openAi, testLlm } from '../test-model.js'

const answer = JSON.stringify({ diagnosis: 'nothing', reasoning: 'it — is nothing', edits: [] })

interface Stream {
  readonly events: readonly unknown[]
  readonly done?: boolean
  readonly headers?: Record<string, string>
  /** Bytes that are written after the events. */
  readonly tail?: Uint8Array
}

const streaming =
  ({ events, done = true, headers = { 'content-type': 'text/event-stream' }, tail }: Stream): Policy =>
  () => ({
    raw(response) {
      response.writeHead(200, headers)
      for (const event of events)
        response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
      if (tail !== undefined) response.write(tail)
      response.end(done ? 'data: [DONE]\n\n' : '')
    },
  })

const delta = (part: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: part, finish_reason: finish }],
})
const pieces = (text: string): unknown[] =>
  (text.match(/[\s\S]{1,7}/g) ?? []).map((content) => delta({ content }))
const end = delta({}, 'stop')
const usage = { choices: [], usage: { prompt_tokens: 11, completion_tokens: 22 } }

async function ask(policy: Policy, endpoint: Partial<Endpoint> = {}, maxTokens = 1000) {
  const server = await startChatServer(policy)
  onTestFinished(() => server.close())
  const { llm, calls } = testLlm()
  const model = modelOf(openAi(server.baseUrl, null, undefined, endpoint), { maxTokens })
  return { found: await askForEdits(llm, model), calls, asked: server.asked }
}

describe('a streamed answer', () => {
  it('is put together, with its usage', async () => {
    const { found, calls, asked } = await ask(streaming({ events: [...pieces(answer), end, usage] }))
    expect(found).toMatchObject({ kind: 'answer', text: answer })
    expect(calls[0]?.usage).toEqual({ inputTokens: 11, outputTokens: 22 })
    expect(asked[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('may be a tool call in parts', async () => {
    const calls = (answer.match(/[\s\S]{1,9}/g) ?? []).map((part, at) =>
      delta({
        tool_calls: [
          {
            index: 0,
            ...(at === 0 ? { id: 'c1' } : {}),
            function: { ...(at === 0 ? { name: 'submit_result' } : {}), arguments: part },
          },
        ],
      }),
    )
    const { found } = await ask(streaming({ events: [...calls, delta({}, 'tool_calls')] }), {
      provider: 'litellm',
    })
    expect(found).toMatchObject({ kind: 'answer' })
  })

  it('may be a message in one event, and come without being asked for', async () => {
    const whole = { choices: [{ message: { content: answer }, finish_reason: 'stop' }] }
    const unasked = { 'content-type': 'application/json' }
    const { found, asked } = await ask(streaming({ events: [whole], headers: unasked }), { stream: 'off' })
    expect(found).toMatchObject({ kind: 'answer' })
    expect(asked[0]).toMatchObject({ stream: false })
  })

  it('that is no stream, though one was asked for, is read', async () => {
    const body = { choices: [{ message: { content: answer }, finish_reason: 'stop' }], usage: usage.usage }
    const { found, calls } = await ask(() => ({ raw: (response) => response.end(JSON.stringify(body)) }))
    expect([found.kind, calls[0]?.usage.outputTokens]).toEqual(['answer', 22])
  })

  it('has its thoughts beside it', async () => {
    const events = [delta({ reasoning_content: 'hm {"edits": [7]}' }), ...pieces(answer), end]
    expect((await ask(streaming({ events }))).found).toMatchObject({ kind: 'answer', text: answer })
  })
})

describe('a stream that cannot be used', () => {
  it.each([
    [
      'ends early',
      { events: pieces(answer).slice(0, 3), done: false },
      'the stream ended before the answer did',
    ],
    [
      'ends within a character',
      { events: pieces(answer).slice(0, 3), done: false, tail: new Uint8Array([0xe2, 0x80]) },
      'the stream ended before the answer did',
    ],
    ['has no end that the model made', { events: pieces(answer) }, 'no finish_reason'],
    ['is not JSON', { events: ['{bad'] }, 'an event that is not one of chat completions: {bad'],
    ['is not UTF-8', { events: [], tail: new Uint8Array([0xff, 0xfe, 0x0a]) }, 'the stream is not UTF-8'],
    ['has an error', { events: [{ error: { message: 'model crashed' } }], done: false }, 'model crashed'],
    ['is empty', { events: [] }, 'choice'],
  ] satisfies [string, Stream, string][])('%s', async (_name, stream, message) => {
    const asking = ask(streaming(stream))
    const said = await asking.then(
      ({ found }) => ('message' in found ? found.message : found.kind),
      (error: unknown) => String(error),
    )
    expect(said).toContain(message)
  })
})

describe('what a server refuses of streams', () => {
  it.each([
    ['stream_options', 'Unknown parameter: stream_options', [true, true]],
    [
      'stream',
      'Your organization must be verified to stream this model: stream is not supported',
      [true, false],
    ],
  ])('%s is left out', async (field, message, streams) => {
    const policy: Policy = (asked) =>
      asked[field] === undefined || asked[field] === false
        ? { text: answer }
        : { status: 400, error: { message, param: field } }
    const { found, asked } = await ask(policy)
    expect(found).toMatchObject({ kind: 'answer' })
    expect(asked.map((each) => each['stream'])).toEqual(streams)
  })
})

describe('a model in a loop', () => {
  /** Writes the same part until the connection is closed, or 4,000 times. */
  const looping: Policy = () => ({
    async raw(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(delta({ content: '{"diagnosis": "lost' }))}\n\n`)
      for (let n = 0; n < 4000 && !response.destroyed; n++) {
        response.write(`data: ${JSON.stringify(delta({ content: ' the filter' }))}\n\n`)
        if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      }
      response.end()
    },
  })

  it('is stopped, charged what arrived, asked again with a penalty, and called that', async () => {
    const { found, calls, asked } = await ask(looping, {}, 4000)
    expect(calls.map(({ usage: { outputTokens } }) => outputTokens < 1000 && outputTokens > 5)).toEqual([
      true,
      true,
    ])
    expect(asked.map((each) => each['frequency_penalty'])).toEqual([undefined, 0.5])
    expect(asked[1]?.messages[1]).toEqual({ role: 'assistant', content: '{"diagnosis": "lost the filter' })
    expect(found).toMatchObject({
      kind: 'unusable',
      message: expect.stringMatching(
        /the model repeats itself without end, and was stopped; it repeats " the filter.*\(twice\)\. The model is in a loop, and more tokens will not help: set another model in `llm\.roles\.repairer\.model`/,
      ),
    })
  })

  it('of a service is streamed from the first loop on', async () => {
    const cut = { choices: [{ finish_reason: 'length', message: { content: `{"d": "${' x'.repeat(300)}` } }] }
    const { asked } = await ask(
      ({ count }) => ({
        raw: (response) => response.end(JSON.stringify(count === 1 ? cut : { choices: [] })),
      }),
      // Not a server of one's own, by its name.
      { provider: 'openai', stream: 'auto' },
    )
    expect(asked.map((each) => each['stream'])[0]).toBe(true)
  })
})
