import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.js'
import { inTemporaryFolder, loaded, root, write } from './config-files.js'

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

describe('where it is found', () => {
  it('nowhere: every key has a default and the working folder is the root', async () => {
    expect(await loadConfig({ cwd: root })).toEqual({
      root,
      file: undefined,
      benchmarks: ['benchmarks'],
      kb: 'kb',
      sources: [],
      agents: 'agents',
      engine: undefined,
      engineTokenEnv: 'AUTOTEST_HTTP_TOKEN',
      allowFunctions: [],
      fixture: undefined,
      dialect: undefined,
      agent: { kind: 'template' },
      asOf: undefined,
      engineEnv: {},
      engineSource: undefined,
      tests: {
        project: '.',
        python: undefined,
        folder: undefined,
        seconds: 1.5,
        minMutationScore: 0.8,
      },
      scoring: {
        policy: 'evidence',
        tolerance: 1e-4,
        fuzz: 5,
        fuzzSource: undefined,
        seed: 1,
        shownRows: 'full',
      },
      limits: {
        concurrency: 4,
        queryTimeoutMs: 30_000,
        rows: 100_000,
        bytes: 64e6,
        memoryBytes: 1e9,
        agentTimeoutMs: 120_000,
      },
      repair: { maxRetries: 3, minGrade: 'E1', repairers: undefined, showExpected: false },
      budget: { timeMs: undefined, calls: 50, tokens: undefined, cost: undefined, shares: {} },
      llm: {
        configured: false,
        named: [],
        roles: Object.fromEntries(
          [
            ['sql', 'sql.yaml'],
            ['test_writer', 'test/test_subagent.yaml'],
            ['judge', 'judge.yaml'],
            ['repairer', 'repairer.yaml'],
            ['coder', 'coder.yaml'],
            ['debugger', 'debugger.yaml'],
          ].map(([role, definition]) => [role, { ...roleDefaults, definition }]),
        ),
        prices: {},
      },
    })
  })

  it('in the nearest folder above, which is the root', async () => {
    write('autotest.config.yaml', 'kb: far')
    write('a/autotest.config.yml', 'kb: near')
    mkdirSync(join(root, 'a/b/c'), { recursive: true })
    const config = await loadConfig({ cwd: join(root, 'a/b/c') })
    expect([config.root, config.file, config.kb]).toEqual([
      join(root, 'a'),
      join(root, 'a/autotest.config.yml'),
      'near',
    ])
  })

  it('by name, and a name that leads nowhere is an error', async () => {
    write('a/other.yaml', 'kb: other')
    const config = await loadConfig({ cwd: root, file: 'a/other.yaml' })
    expect([config.root, config.kb]).toEqual([join(root, 'a'), 'other'])
    await expect(loadConfig({ cwd: root, file: 'none.yaml' })).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'none.yaml: no such file',
    })
  })
})

describe('what is read', () => {
  it('every key', async () => {
    const config = await loaded(`
benchmarks: [benchmarks, "more/*.yaml"]
kb: ./knowledge/
agents: my/agents
engine: duckdb:data/shop.duckdb
fixture: data/shop.sql
engine_token_env: SHOP_TOKEN
allow_functions: [f, s.g]
dialect: trino
agent: { kind: command, run: [python, agent.py], timeout: 5s, deterministic: true, env: [API_KEY] }
as_of: 2025-12-31
scoring: { policy: both, fuzz: 0, tolerance: 0, fuzz_source: "duckdb:data/small.duckdb", seed: 7 }
limits: { concurrency: 20, query_timeout: 500ms, rows: 10, bytes: 1KiB, memory: 2GB, agent_timeout: 1h }
repair: { repairer: [rules], max_retries: 0, min_grade: E2, show_expected: false }
budget: { llm_calls: 50, tokens: null, cost: null, time: 10m }
`)
    expect(config).toMatchObject({
      benchmarks: ['benchmarks', 'more/*.yaml'],
      kb: 'knowledge',
      agents: 'my/agents',
      engine: 'duckdb:data/shop.duckdb',
      fixture: 'data/shop.sql',
      engineTokenEnv: 'SHOP_TOKEN',
      allowFunctions: ['f', 's.g'],
      dialect: 'trino',
      agent: { kind: 'command', run: ['python', 'agent.py'], deterministic: true, env: ['API_KEY'] },
      asOf: '2025-12-31',
      scoring: { policy: 'both', tolerance: 0, fuzz: 0, fuzzSource: 'duckdb:data/small.duckdb', seed: 7 },
      limits: {
        concurrency: 20,
        queryTimeoutMs: 500,
        rows: 10,
        bytes: 1024,
        memoryBytes: 2e9,
        agentTimeoutMs: 5000,
      },
      repair: { maxRetries: 0, minGrade: 'E2' },
      budget: { timeMs: 600_000 },
    })
  })

  it.each([
    ['{ kind: template }', { kind: 'template' }],
    [
      '{ kind: module, path: agents/mine.mjs }',
      { kind: 'module', path: 'agents/mine.mjs', deterministic: false },
    ],
    [
      '{ kind: command, run: "python \'my agent.py\' --fast" }',
      { kind: 'command', run: ['python', 'my agent.py', '--fast'], deterministic: false, env: [] },
    ],
  ])('the agent %s', async (text, agent) => {
    expect((await loaded(`agent: ${text}`)).agent).toEqual(agent)
  })

  it('an empty file and one benchmark path without a list', async () => {
    expect((await loaded('# nothing yet')).kb).toBe('kb')
    expect((await loaded('benchmarks: b.yaml')).benchmarks).toEqual(['b.yaml'])
  })
})
