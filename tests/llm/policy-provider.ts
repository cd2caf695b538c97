import type { Provider } from '../../src/llm/provider.js'
import type { Policy } from './chat-server.js'

/** A policy as a provider of its own, without a server between. */
export function policyProvider(policy: Policy): Provider & { readonly asked: number } {
  const provider = {
    name: 'policy',
    asked: 0,
    async complete(request: Parameters<Provider['complete']>[0]) {
      provider.asked++
      const { model, messages } = request
      const said = await policy({
        model,
        messages: messages.map(({ role, content }) => ({ role: role === 'tool' ? 'user' : role, content })),
        prompt: messages.map(({ content }) => content).join('\n'),
        last: messages.at(-1)?.content ?? '',
        headers: {},
        query: {},
        count: provider.asked,
      })
      if (!('answer' in said)) throw new Error('the policy answers otherwise than with an answer')
      return {
        kind: 'reply',
        text: JSON.stringify(said.answer),
        usage: { inputTokens: 100, outputTokens: 10 },
      } as const
    },
  }
  return provider
}
