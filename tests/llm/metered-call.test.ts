import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChatServerOptions, type Policy, type Said, startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, modelOf, openAi, testLlm } from './test-model.js'

async function serve(policy: Policy, options: ChatServerOptions = {}) {
  const server = await startChatServer(policy, options)
  onTestFinished(() => server.close())
  return server
}

const fine: Said = edits('nothing', [])
const raw =
  (write: Extract<Said, { raw: unknown }>['raw']): Policy =>
  () => ({ raw: write })

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

it('a question that waited for the answer of another does not break with it', async () => {
  const server = await serve(raw(() => undefined))
  const { llm } = testLlm()
  const model = modelOf(openAi(server.baseUrl))
  const short = askForEdits(llm, { ...model, timeoutMs: 200 })
  const long = askForEdits(llm, model)
  expect((await Promise.all([short, long])).map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable'])
  expect(server.asked).toHaveLength(1)
})
