import { describe, expect, it, onTestFinished } from 'vitest'
import { createCallSlots } from '../../src/llm/call-slots.js'
import { startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, modelOf, openAi, testLlm } from './test-model.js'

describe('questions to one endpoint', () => {
  it('are as many at a time as it has places, whatever their role', async () => {
    let [now, most] = [0, 0]
    const server = await startChatServer(async () => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 30))
      now--
      return edits('nothing', [])
    })
    onTestFinished(() => server.close())
    const { llm } = testLlm({ concurrency: 2 })
    const models = ['a', 'b'].map((model) => modelOf(openAi(server.baseUrl), { model }))
    const asking = ['x', 'y', 'z'].flatMap((text) => models.map((model) => askForEdits(llm, model, text)))
    for (const { kind } of await Promise.all(asking)) expect(kind).toBe('answer')
    expect([server.asked.length, most]).toEqual([6, 2])
  })

  it('are fewer once one waited in vain while others were served, and that one is asked again', async () => {
    // Serves one request after the other, as a local server with one place does.
    let last = Promise.resolve()
    const server = await startChatServer(async () => {
      last = last.then(() => new Promise((resolve) => setTimeout(resolve, 525)))
      await last
      return edits('nothing', [])
    })
    onTestFinished(() => server.close())
    const notes: string[] = []
    const { llm } = testLlm({ concurrency: 4, onNote: (text) => notes.push(text) })
    const model = modelOf(openAi(server.baseUrl), { timeoutMs: 1400 })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => askForEdits(llm, model, text)))
    expect(answers.map(({ kind }) => kind)).toEqual(['answer', 'answer', 'answer', 'answer'])
    expect(notes).toContain(
      `tiny at ${server.baseUrl} answered others while a question waited 1.4 s for it: asking 2 at a time from now on, and that one again (limits.concurrency: 2)`,
    )
  })

  it('of a server that answers nobody are not asked again', async () => {
    const server = await startChatServer(() => ({ raw: () => undefined }))
    onTestFinished(() => server.close())
    const { llm } = testLlm({ concurrency: 4 })
    const model = modelOf(openAi(server.baseUrl), { timeoutMs: 200 })
    const answers = await Promise.allSettled(['a', 'b'].map((text) => askForEdits(llm, model, text)))
    expect([answers.length, server.asked.length]).toEqual([2, 2])
  })

  it('that are cancelled while they wait leave their place in the queue', async () => {
    const slots = createCallSlots(1)
    const first = await slots.enter(undefined)
    const cancelled = slots.enter(AbortSignal.timeout(10))
    await expect(cancelled).rejects.toMatchObject({ name: 'TimeoutError' })
    const next = slots.enter(undefined)
    first.leave()
    ;(await next).leave()
  })
})
