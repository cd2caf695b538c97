import { describe } from 'vitest'
import { parseScript, scriptedProvider } from '../../src/llm/scripted-provider.js'
import { type ProviderUnderTest, providerContract } from '../contracts/provider.contract.js'
import { type ChatServerOptions, type Policy, startChatServer } from './chat-server.js'
import { key, openAi } from './test-model.js'

/** A fresh one for each server, which is to stumble once. */
function policy(): Policy {
  let stumbled = false
  return ({ last }) => {
    if (last.includes('say alpha')) return { answer: { said: 'alpha' } }
    if (last.includes('say beta')) return { answer: { said: 'beta' } }
    if (last.includes('talk')) return { text: 'in words' }
    if (!last.includes('stumble')) return { text: null }
    if (stumbled) return { answer: { said: 'alpha' } }
    stumbled = true
    return { status: 503 }
  }
}

async function openAiServer(options: ChatServerOptions): Promise<ProviderUnderTest> {
  const server = await startChatServer(policy(), options)
  return { provider: openAi(server.baseUrl), asked: () => server.asked.length, close: () => server.close() }
}

describe('openai', () => {
  providerContract(() => openAiServer({ key }))
})

const script = `replies:
  - { when: [say alpha], answer: { said: alpha } }
  - { when: [say beta], answer: { said: beta } }
  - { when: [talk], text: in words }
  - { when: [stumble], fails: the script says so, times: 1 }
  - { when: [stumble], answer: { said: alpha } }
`

describe('scripted', () => {
  providerContract(async () => {
    let asked = 0
    const provider = scriptedProvider(
      parseScript(new TextEncoder().encode(script), 'script.yaml'),
      'scripted:script.yaml',
    )
    return {
      provider: {
        name: provider.name,
        complete(request, context, signal) {
          if (!signal.aborted) asked++
          return provider.complete(request, context, signal)
        },
      },
      asked: () => asked,
      close: () => Promise.resolve(),
    }
  })
})
