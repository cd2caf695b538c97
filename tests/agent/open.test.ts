import { describe, expect, it } from 'vitest'
import { openAgent } from '../../src/agent/open.js'

const options = {
  root: process.cwd(),
  kbFolder: 'kb',
  timeoutMs: 10_000,
  env: {},
  llm: () => Promise.reject(new Error('no model here')),
  concurrency: 2,
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
})
