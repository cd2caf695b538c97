import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChatServerOptions, type Policy, type Said, sendJson, startChatServer } from '../chat-server.js'
import { edits } from '../policies.js'
import { askForEdits, modelOf, openAi, testLlm, toolFirst } from '../test-model.js'

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

describe('an answer that cannot be taken is asked for once more', () => {
  const choice = (finish: string, message: unknown): Policy =>
    raw((response) => sendJson(response, 200, { choices: [{ finish_reason: finish, message }] }))
  const call = (name: string) => ({ function: { name, arguments: JSON.stringify(fine) } })
  const choices = (...all: readonly unknown[]): Policy =>
    raw((response) => sendJson(response, 200, { choices: all }))
  const choiceOf = (content: string) => ({ finish_reason: 'stop', message: { content } })
  const one = JSON.stringify(choiceOf(JSON.stringify(edited)))

  it.each([
    [
      'cut at max_tokens',
      choice('length', { content: '{}' }),
      'cut at its limit of 1000 tokens (twice). Raise `llm.roles.repairer.max_tokens`',
    ],
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
      'empty, it has only reasoning (twice). Check the server',
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

  it.each([
    ['negative', { prompt_tokens: -5, completion_tokens: -1 }],
    ['zero', { prompt_tokens: 0, completion_tokens: 0 }],
    ['half', { prompt_tokens: 12.5, completion_tokens: 3 }],
    ['in words', { prompt_tokens: 'many', completion_tokens: 'few' }],
  ])('counts that are %s are no counts: the answer is charged by its length', async (_name, usage) => {
    const body = JSON.stringify({ ...JSON.parse(`{"choices":[${one}]}`), usage })
    const server = await serve(raw((response) => response.end(body)))
    const { llm, calls } = testLlm()
    expect(await askForEdits(llm, modelOf(openAi(server.baseUrl)))).toMatchObject({ kind: 'answer' })
    const [charged] = calls.map((call) => call.usage)
    expect(charged?.inputTokens).toBeGreaterThan(5)
    expect(charged?.outputTokens).toBeGreaterThan(1)
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
    const answer = await askForEdits(testLlm().llm, modelOf(toolFirst(server.baseUrl)))
    expect([answer.kind, server.asked.length]).toEqual(['answer', 2])
  })

  it.each([
    ['tools', ['tools'], 1],
    ['schemas', ['response_format'], 0],
    ['tools and schemas', ['tools', 'response_format'], 3],
  ] satisfies [string, ChatServerOptions['refuses'], number][])(
    'a server without %s is asked otherwise',
    async (_name, refuses, refusals) => {
      const server = await serve(() => fine, { refuses: refuses ?? [] })
      const { llm, calls } = testLlm()
      const model = modelOf(toolFirst(server.baseUrl))
      expect(await askForEdits(llm, model)).toMatchObject({ kind: 'answer' })
      expect(calls).toHaveLength(1 + refusals)
      expect(await askForEdits(llm, model, 'again')).toMatchObject({ kind: 'answer' })
      expect(calls).toHaveLength(2 + refusals)
    },
  )
})
