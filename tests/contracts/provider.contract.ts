import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallContext, ChatRequest, Completion, Provider } from '../../src/llm/provider.js'

/** A provider under this contract, and how often its endpoint was asked. */
export interface ProviderUnderTest {
  readonly provider: Provider
  readonly asked: () => number
  readonly close: () => Promise<void>
}

const never = (): AbortSignal => new AbortController().signal
const context: CallContext = { role: 'sql', caseId: 'c', sample: 0, attempt: 0 }

function requestOf(prompt: string): ChatRequest {
  const messages = [
    { role: 'system', content: 'You answer.' },
    { role: 'user', content: prompt },
  ] as const
  return {
    model: 'tiny',
    messages,
    maxTokens: 100,
    answer: {
      type: 'function',
      function: {
        name: 'submit_result',
        description: 'The answer.',
        strict: true,
        parameters: {
          type: 'object',
          additionalProperties: false,
          properties: { said: { type: 'string' } },
          required: ['said'],
        },
      },
    },
  }
}

/**
 * What every provider must do. The one under test answers `{"said": "alpha"}` to a prompt with "say alpha", `beta` to
 * one with "say beta", the text `in words` to "talk"; is in trouble that passes the first time that it hears "stumble",
 * and answers like "say alpha" then; and gives nothing that can be used to anything else.
 */
export function providerContract(open: () => Promise<ProviderUnderTest>): void {
  const opened = async (): Promise<ProviderUnderTest> => {
    const under = await open()
    onTestFinished(() => under.close())
    return under
  }

  describe('as a provider', () => {
    it('gives the arguments of the answering tool as they were written, and whole numbers of tokens', async () => {
      const { provider } = await opened()
      const completion = await provider.complete(requestOf('say alpha'), context, never())
      expect(JSON.parse(textOf(completion))).toEqual({ said: 'alpha' })
      const { inputTokens, outputTokens } = completion.usage ?? { inputTokens: -1, outputTokens: -1 }
      expect([inputTokens > 0, outputTokens > 0]).toEqual([true, true])
      expect([inputTokens, outputTokens].every(Number.isInteger)).toBe(true)
    })

    it('gives text that was said instead as it is, without reading it', async () => {
      const { provider } = await opened()
      expect(textOf(await provider.complete(requestOf('talk'), context, never()))).toBe('in words')
    })

    it('gives equal answers to equal requests, and to each of several at once its own', async () => {
      const { provider } = await opened()
      const prompts = ['say alpha', 'say beta', 'say alpha', 'say beta', 'say alpha']
      const said = await Promise.all(
        prompts.map(async (prompt) => textOf(await provider.complete(requestOf(prompt), context, never()))),
      )
      expect(said.map((text) => `say ${JSON.parse(text).said}`)).toEqual(prompts)
    })

    it('makes one try, and says of trouble that it may pass', async () => {
      const { provider, asked } = await opened()
      const first = await provider.complete(requestOf('stumble'), context, never())
      expect(first).toMatchObject({ kind: 'failure', failure: 'transient', message: expect.any(String) })
      expect(asked()).toBe(1)
      const second = await provider.complete(requestOf('stumble'), { ...context, attempt: 1 }, never())
      expect(JSON.parse(textOf(second))).toEqual({ said: 'alpha' })
      expect(asked()).toBe(2)
    })

    it('says in words why nothing can be used, as a value', async () => {
      const { provider } = await opened()
      const completion = await provider.complete(requestOf('something else'), context, never())
      expect(completion).toMatchObject({ kind: 'failure', failure: 'unusable' })
      expect(completion.kind === 'failure' && completion.message).toMatch(/\w+ \w+/)
    })

    it('rejects with the reason of an abort, and asks nobody', async () => {
      const { provider, asked } = await opened()
      const stop = new AbortController()
      stop.abort(new Error('enough'))
      const asking = provider.complete(requestOf('say alpha'), context, stop.signal)
      await expect(asking).rejects.toThrow('enough')
      expect(asked()).toBe(0)
    })

    it('leaves the request as it was', async () => {
      const { provider } = await opened()
      const request = frozen(requestOf('say alpha'))
      expect(textOf(await provider.complete(request, context, never()))).toContain('alpha')
    })

    it('has a name that can be shown', async () => {
      const { provider } = await opened()
      expect(provider.name).not.toBe('')
      expect(provider.name).not.toMatch(/:\/\/[^/]*@/)
    })
  })
}

function textOf(completion: Completion): string {
  if (completion.kind === 'failure') throw new Error(`${completion.failure}: ${completion.message}`)
  return completion.text
}

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part)
  return Object.freeze(value)
}
