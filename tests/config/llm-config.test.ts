import { describe, expect, it } from 'vitest'
import { redact } from '../../src/text/secrets.js'
import { inTemporaryFolder, loaded } from './config-files.js'

inTemporaryFolder()

const roleDefaults = {
  model: undefined,
  temperature: undefined,
  seed: undefined,
  timeoutMs: 60_000,
  maxTokens: 4096,
  endpoint: {
    settings: 'llm',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    headers: {},
    query: {},
    provider: undefined,
    structured: 'auto',
    stream: 'auto',
  },
  extraBody: undefined,
}

const auto = { provider: undefined, structured: 'auto', stream: 'auto' }

describe('models', () => {
  it('OpenAI is sent its key, and another endpoint none that the file does not name', async () => {
    const key = async (text: string) => (await loaded(text)).llm.roles.sql.endpoint.keyEnv
    expect(await key('llm: {}')).toBe('OPENAI_API_KEY')
    expect(await key('llm: {base_url: "http://127.0.0.1:1/v1"}')).toBeUndefined()
    expect(await key('llm: {base_url: "http://127.0.0.1:1/v1", key_env: MINE}')).toBe('MINE')
  })

  it('a role at another address shares no key and no header with the others', async () => {
    const { llm } = await loaded(`
llm:
  base_url: http://127.0.0.1:1/v1
  key_env: MINE
  extra_headers: { x-team: data, api-key: { env: GATE } }
  extra_query: { api-version: 2024-10-21 }
  roles:
    sql: { extra_body: { reasoning_effort: low }, extra_headers: { x-team: agents } }
    judge: { base_url: "http://127.0.0.1:2/v1" }
    repairer: { base_url: "https://api.openai.com/v1", key_env: OPENAI_API_KEY }
`)
    const { sql, judge, repairer, debugger: other } = llm.roles
    expect(other.endpoint).toEqual({
      settings: 'llm',
      baseUrl: 'http://127.0.0.1:1/v1',
      keyEnv: 'MINE',
      headers: { 'x-team': 'data', 'api-key': { env: 'GATE' } },
      query: { 'api-version': '2024-10-21' },
      ...auto,
    })
    expect(sql.endpoint).toEqual({
      ...other.endpoint,
      settings: 'llm.roles.sql',
      headers: { ...other.endpoint.headers, 'x-team': 'agents' },
    })
    expect(sql.extraBody).toEqual({ reasoning_effort: 'low' })
    const alone = { headers: {}, query: {}, ...auto }
    expect(judge.endpoint).toMatchObject({ baseUrl: 'http://127.0.0.1:2/v1', keyEnv: undefined, ...alone })
    expect(repairer.endpoint).toMatchObject({ keyEnv: 'OPENAI_API_KEY', ...alone })
  })

  it('what a header is sent from the environment is secret from then on', async () => {
    await loaded('llm: { roles: { judge: { extra_headers: { x-gate: { env: GATE_PASS } } } } }')
    expect(redact('it was sent opensesame-17', { GATE_PASS: 'opensesame-17' })).toBe('it was sent ***')
  })

  it('roles have a model, limits and a definition of their own', async () => {
    const { llm, budget, agent } = await loaded(`
agent: { kind: llm, entries: 3, error_turn: false }
llm: { timeout: 5s, roles: { sql: { model: "llama3:8b", temperature: 0, seed: 7, max_tokens: 9 } }, prices: { m: { in: 1, out: 2 } } }
budget: { llm_calls: null, shares: { repairer: 0.2 } }
`)
    expect(llm).toMatchObject({ configured: true, named: ['sql'], prices: { m: { in: 1, out: 2 } } })
    expect(llm.roles.sql).toEqual({
      ...roleDefaults,
      model: 'llama3:8b',
      definition: 'sql.yaml',
      temperature: 0,
      seed: 7,
      timeoutMs: 5000,
      maxTokens: 9,
    })
    expect(budget).toMatchObject({ calls: undefined, shares: { repairer: 0.2 } })
    expect(agent).toEqual({
      kind: 'llm',
      definition: 'sql.yaml',
      entries: 3,
      errorTurn: false,
      deterministic: false,
    })
  })
})
