import { expect, it } from 'vitest'
import { redactMessage } from '../../src/llm/redact-message.js'
import { createRedactor } from '../../src/text/secrets.js'

it('takes secrets out of the words of a message, and out of the tools that it calls', () => {
  const redact = createRedactor({ SHOP_TOKEN: 'sk-shop-0123456789' })
  const call = { id: 'a', name: 'write', arguments: '{"text":"sk-shop-0123456789"}' }
  const clean = redactMessage({ role: 'assistant', content: 'use sk-shop-0123456789', calls: [call] }, redact)
  expect(JSON.stringify(clean)).not.toContain('sk-shop')
  expect(clean.calls).toMatchObject([{ id: 'a', name: 'write' }])
})
