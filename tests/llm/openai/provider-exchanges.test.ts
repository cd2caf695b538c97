import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { modelProviderNames, modelProviders } from '../../../src/config/model-providers.js'
import { sendJson, startChatServer } from '../chat-server.js'
import { askForEdits, modelOf, openAi, testLlm } from '../test-model.js'

/** Exchanges as each provider documents them; `ANSWER` stands for what the model writes. */
const exchanges = z
  .array(
    z.strictObject({
      provider: z.enum(modelProviderNames),
      page: z.url(),
      read: z.iso.date(),
      unconfirmed: z.array(z.string()),
      sends: z.enum(['response_format', 'tools']),
      limit: z.enum(['max_tokens', 'max_completion_tokens']),
      reply: z.looseObject({}),
      usage: z.looseObject({ inputTokens: z.int() }),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('provider-exchanges.json', import.meta.url), 'utf8')))

const written = JSON.stringify({ diagnosis: 'x', reasoning: 'y', edits: [] })

describe('an exchange as the provider documents it', () => {
  it('is there for each provider, from the page that the program names', () => {
    expect(exchanges.map(({ provider, page, read }) => ({ provider, page, read }))).toEqual(
      modelProviders.map(({ name, source }) => ({ provider: name, ...source })),
    )
  })

  it.each(exchanges.map((exchange) => [exchange.provider, exchange] as const))(
    '%s: is asked in its first form, read, and counted',
    async (provider, { sends, limit, reply, usage }) => {
      const body = JSON.parse(JSON.stringify(reply).replace('"ANSWER"', () => JSON.stringify(written)))
      const server = await startChatServer(() => ({ raw: (response) => sendJson(response, 200, body) }))
      onTestFinished(() => server.close())
      const { llm, calls } = testLlm()
      const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl, null, undefined, { provider })))
      expect(answer).toMatchObject({ kind: 'answer', value: { diagnosis: 'x', edits: [] } })
      expect(server.asked).toHaveLength(1)
      const [asked] = server.asked
      expect([asked?.response_format !== undefined, asked?.tools !== undefined]).toEqual([
        sends === 'response_format',
        sends === 'tools',
      ])
      expect(asked?.[limit]).toBe(1000)
      expect(calls.map((call) => call.usage)).toEqual([usage])
    },
  )
})
