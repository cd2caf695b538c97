import { describe, expect, it } from 'vitest'
import { openAgent } from '../../src/agent/open-agent.js'

const options = {
  root: process.cwd(),
  kbFolder: 'kb',
  timeoutMs: 10_000,
  env: {},
  storedValues: () => Promise.resolve(undefined),
  llm: () => Promise.reject(new Error('no model here')),
  concurrency: 2,
  redact: String,
}

describe('openAgent', () => {
  it.each([
    [{ kind: 'template' as const }, 'template', true],
    [
      { kind: 'module' as const, path: 'agents/examples/module-agent.mjs', deterministic: false },
      'module:agents/examples/module-agent.mjs',
      false,
    ],
    [
      { kind: 'command' as const, run: ['node', 'agent.mjs'], deterministic: true, env: [] },
      'command:node agent.mjs',
      true,
    ],
  ])('opens $kind', async (config, name, deterministic) => {
    const agent = await openAgent(config, options)
    expect(agent).toMatchObject({ name, deterministic })
    await agent.close()
  })

  it('refuses a service whose token is not set', async () => {
    const config = {
      kind: 'http',
      url: 'http://127.0.0.1:1',
      deterministic: false,
      tokenEnv: 'NO_TOKEN',
    } as const
    await expect(openAgent(config, options)).rejects.toMatchObject({
      code: 'agent_invalid',
      message: 'NO_TOKEN is not set: agent http:http://127.0.0.1:1 requires a token',
    })
  })

  it('refuses a token that no header can carry, without showing it', async () => {
    const config = { kind: 'http', url: 'http://127.0.0.1:1', deterministic: false, tokenEnv: 'A' } as const
    for (const token of ['abc\ndef', 'abc\u0001def', 'clé-日本']) {
      const error = await openAgent(config, { ...options, env: { A: token } }).catch((thrown) => thrown)
      expect(error).toMatchObject({
        code: 'agent_invalid',
        message: expect.stringMatching(/^the token in A /),
      })
      expect(error.message + error.hint).not.toMatch(/def|日本/)
    }
  })
})
