import { describe, expect, it, onTestFinished } from 'vitest'
import type { Endpoint } from '../../src/config/config.js'
import { type Asked, type Policy, type Said, startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, modelOf, openAi, testLlm } from './test-model.js'

const fine: Said = edits('nothing', [])
const prose: Said = { text: 'To count the orders, you can count the orders.' }

async function serve(policy: Policy) {
  const server = await startChatServer(policy)
  onTestFinished(() => server.close())
  return server
}

/** How an answer was asked for. */
function modeOf({ tools, response_format: format, prompt }: Asked): string {
  if (tools !== undefined) return 'tool'
  if (format !== undefined) return format.type === 'json_object' ? 'object' : 'schema'
  return prompt.includes('JSON Schema') ? 'text' : 'nothing'
}

async function ask(policy: Policy, endpoint: Partial<Endpoint> = {}, questions = 1) {
  const server = await serve(policy)
  const notes: string[] = []
  const { llm, calls } = testLlm()
  const model = modelOf(openAi(server.baseUrl, null, (text) => notes.push(text), endpoint))
  const answers = []
  for (let asked = 0; asked < questions; asked++)
    answers.push(await askForEdits(llm, model, `question ${asked}`))
  return { answers, modes: server.asked.map(modeOf), notes, calls, server }
}

describe('a way of asking is left as soon as it has no effect', () => {
  it('prose in answer to a schema: the next turn already forces a tool, and later questions begin there', async () => {
    const { answers, modes, notes, server } = await ask(
      (asked) => (modeOf(asked) === 'schema' ? prose : fine),
      {},
      2,
    )
    expect(answers.map(({ kind }) => kind)).toEqual(['answer', 'answer'])
    expect(modes).toEqual(['schema', 'tool', 'tool'])
    expect(notes).toEqual([
      `tiny at ${server.baseUrl}: a JSON Schema of the answer (response_format: json_schema) has no effect on its answer; asking for a forced tool call from now on`,
    ])
  })

  it('JSON of another form than the schema', async () => {
    const { modes } = await ask((asked) =>
      modeOf(asked) === 'schema' ? { text: '{"table": "orders"}' } : fine,
    )
    expect(modes).toEqual(['schema', 'tool'])
  })

  it('tools that a template drops: text in answer to a forced tool', async () => {
    const { modes } = await ask((asked) => (modeOf(asked) === 'tool' ? prose : fine), { provider: 'litellm' })
    expect(modes).toEqual(['tool', 'schema'])
  })

  it('down to text, which is the last', async () => {
    const { answers, modes } = await ask(() => prose, {}, 3)
    expect(answers.map(({ kind }) => kind)).toEqual(['unusable', 'unusable', 'unusable'])
    expect(modes).toEqual(['schema', 'tool', 'object', 'text', 'text', 'text'])
  })

  it('once, where several questions find out together', async () => {
    const server = await serve((asked) => (modeOf(asked) === 'schema' ? prose : fine))
    const notes: string[] = []
    const { llm } = testLlm()
    const model = modelOf(openAi(server.baseUrl, null, (text) => notes.push(text)))
    const asking = ['a', 'b', 'c'].map((question) => askForEdits(llm, model, question))
    for (const { kind } of await Promise.all(asking)) expect(kind).toBe('answer')
    expect([server.asked.map(modeOf).filter((mode) => mode === 'tool').length, notes.length]).toEqual([3, 1])
  })

  it('not where the model was cut within the form, or called the tool with other arguments', async () => {
    const cut: Policy = () => ({
      raw: (response) =>
        response.end(
          JSON.stringify({
            choices: [{ finish_reason: 'length', message: { content: '{"diagnosis": "lost its' } }],
          }),
        ),
    })
    expect((await ask(cut)).modes).toEqual(['schema', 'schema'])
    const other: Policy = () => ({ answer: { edits: 7 } })
    expect((await ask(other, { provider: 'litellm' })).modes).toEqual(['tool', 'tool'])
  })
})

it('what a model wrote of an answer that was cut is kept without secrets', async () => {
  const server = await serve(() => ({
    raw: (response) =>
      response.end(
        JSON.stringify({
          choices: [{ finish_reason: 'length', message: { content: '{"key": "hunter2-secret' } }],
        }),
      ),
  }))
  const { llm, calls } = testLlm({ redact: (text) => text.replaceAll('hunter2-secret', '***') })
  await askForEdits(llm, modelOf(openAi(server.baseUrl)))
  expect(JSON.stringify(calls)).toContain('***')
  expect(JSON.stringify(calls)).not.toContain('hunter2-secret')
})

describe('llm.structured', () => {
  it.each(['schema', 'tool', 'object', 'text'] as const)(
    '%s is the only way that is tried',
    async (structured) => {
      const { modes } = await ask(() => prose, { structured })
      expect(modes).toEqual([structured, structured])
    },
  )
})

describe('a model is asked again with its own words', () => {
  const turns = (server: Awaited<ReturnType<typeof serve>>) => server.asked.at(-1)?.messages ?? []

  it('and what was wrong with them', async () => {
    const { server } = await ask(() => prose)
    expect(turns(server).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(turns(server)[1]?.content).toBe('To count the orders, you can count the orders.')
    expect(turns(server)[2]?.content).toMatch(/^Your answer could not be used: it is not one JSON object/)
  })

  it('also where it was cut, and never with a turn that it did not take', async () => {
    const said =
      (content: string): Policy =>
      () => ({
        raw: (response) =>
          response.end(JSON.stringify({ choices: [{ finish_reason: 'length', message: { content } }] })),
      })
    expect(turns((await ask(said('{"edits": [{'))).server)[1]).toEqual({
      role: 'assistant',
      content: '{"edits": [{',
    })
    const silent = turns((await ask(said(''))).server)
    expect(silent.map(({ role }) => role)).toEqual(['user'])
    expect(silent[0]?.content).toMatch(/^question 0\n\nYour answer could not be used: the answer was cut/)
  })

  it('and both failures are named', async () => {
    const { answers } = await ask(({ count }) =>
      count === 1
        ? {
            raw: (response) =>
              response.end(
                JSON.stringify({ choices: [{ finish_reason: 'length', message: { content: '{"a' } }] }),
              ),
          }
        : prose,
    )
    expect(answers[0]).toMatchObject({
      message: expect.stringMatching(
        /its answer: the answer was cut at its limit of 1000 tokens; asked again: it is not one JSON object: "To count.*Raise `llm\.roles\.repairer\.max_tokens`/,
      ),
    })
  })
})
