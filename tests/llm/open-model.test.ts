import { describe, expect, it, onTestFinished } from 'vitest'
import { llmConfig } from '../../src/config/llm-config.js'
import { configFile } from '../../src/config/schema.js'
import type { Role } from '../../src/enums/role.js'
import { openModel } from '../../src/llm/open-model.js'
import { createEndpointMemories } from '../../src/llm/openai/endpoint-memory.js'
import { type ChatServer, type ChatServerOptions, startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, testLlm } from './test-model.js'

const fine = edits('nothing', [])

async function serve(options: ChatServerOptions = {}): Promise<ChatServer> {
  const server = await startChatServer(() => fine, options)
  onTestFinished(() => server.close())
  return server
}

type LlmFile = NonNullable<(typeof configFile)['_output']['llm']>

/** The model of a role under a configuration, with an environment of its own. */
function model(role: Role, llm: unknown, env: Readonly<Record<string, string>> = {}) {
  const file: LlmFile | undefined = configFile.parse({ llm }).llm
  const budget = {
    timeMs: undefined,
    scan: undefined,
    calls: 50,
    tokens: undefined,
    cost: undefined,
    shares: {},
  }
  return openModel(
    role,
    { provider: 'openai', model: 'tiny' },
    {
      config: { llm: llmConfig(file), budget },
      env,
      readFile: () => Promise.reject(new Error('no file is read')),
      replayed: false,
      redact: (text) => text,
      memories: createEndpointMemories(),
      onNote: () => undefined,
    },
  )
}

describe('what a configuration adds to requests', () => {
  it('headers, some from the environment, a query, and fields of the request', async () => {
    const server = await serve()
    const llm = {
      base_url: server.baseUrl,
      extra_headers: { 'X-Team': 'data', 'Api-Key': { env: 'GATE' } },
      extra_query: { 'api-version': '2024-10-21' },
      roles: {
        repairer: {
          extra_body: { reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } },
        },
      },
    }
    await askForEdits(testLlm().llm, await model('repairer', llm, { GATE: 'gate-key-1' }))
    expect(server.asked).toHaveLength(1)
    const [asked] = server.asked
    expect(asked?.headers).toMatchObject({ 'x-team': 'data', 'api-key': 'gate-key-1' })
    expect(asked?.headers.authorization).toBeUndefined()
    expect(asked?.query).toEqual({ 'api-version': '2024-10-21' })
    expect(asked).toMatchObject({
      model: 'tiny',
      reasoning_effort: 'low',
      chat_template_kwargs: { enable_thinking: false },
    })
  })

  it('a header of the configuration takes the place of the one that holds the key', async () => {
    const server = await serve({ key: 'other' })
    const llm = {
      base_url: server.baseUrl,
      key_env: 'MINE',
      extra_headers: { Authorization: { env: 'WHOLE' } },
    }
    await askForEdits(testLlm().llm, await model('repairer', llm, { MINE: 'mine', WHOLE: 'Bearer other' }))
    expect(server.asked).toHaveLength(1)
  })

  it('a variable that is not set is told before anything is asked', async () => {
    const llm = {
      base_url: 'http://127.0.0.1:9/v1',
      roles: { repairer: { extra_headers: { 'api-key': { env: 'GATE' } } } },
    }
    await expect(model('repairer', llm)).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'GATE is not set: tiny at http://127.0.0.1:9/v1 gets it as api-key',
      hint: 'Set GATE, or use another one in llm.roles.repairer.extra_headers.',
    })
  })

  it('other fields are another request, and none leaves the key of a recording as it was', async () => {
    const server = await serve()
    const keys: string[] = []
    for (const extra_body of [undefined, { top_p: 0.5 }, { top_p: 0.6 }, undefined]) {
      const { llm, calls } = testLlm()
      await askForEdits(
        llm,
        await model('repairer', { base_url: server.baseUrl, roles: { repairer: { extra_body } } }),
      )
      keys.push(calls[0]?.key ?? '')
    }
    expect(new Set(keys).size).toBe(3)
    expect(keys[3]).toBe(keys[0])
  })
})

describe('endpoints of roles', () => {
  it('each is sent its own key, and no other', async () => {
    const [local, far] = [await serve(), await serve({ key: 'far-key' })]
    const llm = {
      base_url: local.baseUrl,
      key_env: 'LOCAL',
      extra_headers: { 'x-team': 'data' },
      roles: { repairer: { base_url: far.baseUrl, key_env: 'FAR' } },
    }
    const env = { LOCAL: 'local-key', FAR: 'far-key' }
    await askForEdits(testLlm().llm, await model('repairer', llm, env))
    await askForEdits(testLlm().llm, await model('judge', llm, env))
    expect(far.asked.map(({ headers }) => headers['x-team'])).toEqual([undefined])
    expect(local.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer local-key'])
  })

  it('what one of them refuses names its own place in the configuration', async () => {
    const far = await serve({ key: 'far-key' })
    const llm = { base_url: 'http://127.0.0.1:9/v1', roles: { repairer: { base_url: far.baseUrl } } }
    await expect(askForEdits(testLlm().llm, await model('repairer', llm))).rejects.toMatchObject({
      code: 'llm_rejected',
      hint: 'It requires a key: set llm.roles.repairer.key_env to its environment variable.',
    })
  })

  it('that one is down says nothing of another', async () => {
    const [up, { baseUrl: down }] = [await serve(), await startChatServer(() => ({ status: 500 }))]
    const llm = { base_url: down, roles: { repairer: { base_url: up.baseUrl } } }
    const { llm: asks } = testLlm()
    const [broken, sound] = [await model('judge', llm), await model('repairer', llm)]
    const kinds: string[] = []
    for (const [which, question] of [
      [broken, 'a'],
      [broken, 'b'],
      [sound, 'c'],
    ] as const)
      kinds.push((await askForEdits(asks, which, question)).kind)
    await expect(askForEdits(asks, broken, 'd')).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(kinds).toEqual(['unavailable', 'unavailable', 'answer'])
  })
})
