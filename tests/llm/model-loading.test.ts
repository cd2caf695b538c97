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
