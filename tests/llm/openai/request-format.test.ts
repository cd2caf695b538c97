import { describe, expect, it, onTestFinished } from 'vitest'
import { type Asked, type Policy, type Said, sendJson, startChatServer } from '../chat-server.js'
import { edits } from '../policies.js'
import { askForEdits, modelOf, openAi, testLlm, toolFirst } from '../test-model.js'

const fine: Said = edits('nothing', [])

async function serve(policy: Policy) {
  const server = await startChatServer(policy)
  onTestFinished(() => server.close())
  return server
}

type Key = 'max_tokens' | 'max_completion_tokens' | 'temperature' | 'seed' | 'tools' | 'response_format'

/** Says what some server really says of a part that it does not take. */
const refusing =
  (key: Key, status: number, body: unknown): Policy =>
  (asked) =>
    asked[key] === undefined ? fine : { raw: (response) => sendJson(response, status, body) }

const openAiError = (message: string, param: string | null, code: string | null) => ({
  error: { message, type: 'invalid_request_error', param, code },
})
const extra = (key: string) => [
  { type: 'extra_forbidden', loc: ['body', key], msg: 'Extra inputs are not permitted', input: 7 },
]

const settings = { temperature: 0, seed: 7 }

const refusals: readonly [string, Key, number, unknown][] = [
  [
    'OpenAI: max_tokens',
    'max_tokens',
    400,
    openAiError(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    ),
  ],
  [
    'OpenAI: a temperature',
    'temperature',
    400,
    openAiError(
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      'temperature',
      'unsupported_value',
    ),
  ],
  [
    'OpenAI: temperature',
    'temperature',
    400,
    openAiError(
      "Unsupported parameter: 'temperature' is not supported with this model.",
      'temperature',
      null,
    ),
  ],
  [
    'Bedrock: temperature',
    'temperature',
    400,
    {
      error: {
        message: 'The model returned the following errors: temperature is deprecated for this model.',
      },
    },
  ],
  [
    'LiteLLM: temperature',
    'temperature',
    400,
    openAiError(
      "litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0. Only temperature=1 is supported.",
      null,
      '400',
    ),
  ],
  [
    'LiteLLM: seed',
    'seed',
    400,
    openAiError(
      "litellm.UnsupportedParamsError: anthropic does not support parameters: ['seed'], for model=claude.",
      null,
      '400',
    ),
  ],
  ['FastAPI: seed', 'seed', 422, { detail: extra('seed') }],
  ['Mistral: seed', 'seed', 422, { object: 'error', message: { detail: extra('seed') }, code: null }],
  [
    'vLLM: tools',
    'tools',
    400,
    { error: { message: '"auto" tool choice requires --enable-auto-tool-choice', code: 400 } },
  ],
  [
    'llama.cpp: tools',
    'tools',
    500,
    { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
  ],
  [
    'llama.cpp: a schema',
    'tools',
    400,
    { error: { code: 400, message: 'Failed to initialize samplers: failed to parse grammar' } },
  ],
  ['Ollama: tools', 'tools', 400, { error: { message: 'gemma3:latest does not support tools', code: null } }],
  [
    'OpenRouter: tools',
    'tools',
    404,
    { error: { message: 'No endpoints found that support tool use.', code: 404 } },
  ],
  ['LM Studio: tools', 'tools', 400, { error: "Invalid tool_choice type: 'object'." }],
]

describe('what a model refuses is left out, once, also where several calls are under way', () => {
  it.each(refusals)('%s', async (_name, key, status, body) => {
    const server = await serve(refusing(key, status, body))
    const { llm, calls, waits } = testLlm()
    const model = modelOf((key === 'tools' ? toolFirst : openAi)(server.baseUrl), settings)
    const asking = ['a', 'b', 'c'].map((question) => askForEdits(llm, model, question))
    for (const answer of await Promise.all(asking)) expect(answer).toMatchObject({ kind: 'answer' })
    expect(await askForEdits(llm, model, 'd')).toMatchObject({ kind: 'answer' })
    expect([calls.length, server.asked.length, new Set(waits)]).toEqual([7, 7, new Set([0])])
    // Nothing else is left out with it.
    const kept = (asked: Asked | undefined) => [asked?.temperature, asked?.seed]
    expect(kept(server.asked.at(-1))).toEqual([
      key === 'temperature' ? undefined : 0,
      key === 'seed' ? undefined : 7,
    ])
  })

  it('one after the other', async () => {
    const parts = refusals.filter(([name]) => /^(OpenAI: max|OpenAI: a temp|FastAPI)/.test(name))
    const server = await serve((asked) => {
      const [, , status, body] = parts.find(([, key]) => asked[key] !== undefined) ?? []
      return status === undefined ? fine : { raw: (response) => sendJson(response, status, body) }
    })
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl), settings))).toMatchObject({
      kind: 'answer',
    })
    expect(calls).toHaveLength(4)
  })

  it('settings of the configuration are told, once', async () => {
    const [, key, status, body] = refusals[1] ?? refusals[0] ?? []
    const server = await serve(refusing(key ?? 'seed', status ?? 0, body))
    const notes: string[] = []
    const provider = openAi(server.baseUrl, null, (text) => void notes.push(text))
    const { llm } = testLlm()
    await Promise.all(['a', 'b'].map((text) => askForEdits(llm, modelOf(provider, settings), text)))
    expect(notes).toEqual([`tiny at ${server.baseUrl} does not support temperature: called without`])
  })

  it('all of them and trouble between them come to an answer: what is learnt takes no try of the four', async () => {
    const keys = ['tools', 'response_format', 'max_tokens', 'temperature', 'seed'] as const
    const server = await serve((asked) => {
      const key = keys.find((each) => asked[each] !== undefined)
      if (asked.count % 2 === 0 && asked.count < 8) return { status: 500 }
      return key === undefined ? fine : { status: 400, error: { message: `${key} is not supported` } }
    })
    const { llm, calls, waits } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl), settings))).toMatchObject({
      kind: 'answer',
    })
    // Of a response_format, the schema and the plain object.
    expect([calls.length, waits.filter((wait) => wait > 0).length]).toEqual([10, 3])
  })

  it('a server that takes text alone is told the schema, within what was set aside for the tool', async () => {
    const server = await startChatServer(() => fine, { refuses: ['tools', 'response_format'] })
    onTestFinished(() => server.close())
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
    const prompt = server.asked.at(-1)?.prompt ?? ''
    expect(prompt).toMatch(/^repair it\n\nAnswer with one JSON object alone, of this JSON Schema:\n\{"type"/)
    expect(calls).toHaveLength(4)
  })
})

describe('what another form does not mend is refused', () => {
  it.each([
    ['a number', 'max_tokens is too large: 9000. This model supports at most 4096.'],
    ['both names', 'Unsupported parameter: max_tokens, max_completion_tokens'],
    ['a setting that is out of bounds', 'temperature must be between 0 and 1'],
    ['a model whose name is a setting', 'unknown model seed-oss'],
  ])('%s', async (_name, message) => {
    const server = await serve(() => ({ status: 400, error: { message } }))
    const asking = askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl), settings))
    await expect(asking).rejects.toMatchObject({ code: 'llm_rejected' })
    expect(server.asked.length).toBeLessThanOrEqual(2)
  })
})
