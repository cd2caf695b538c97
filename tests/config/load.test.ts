import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { loadConfig } from '../../src/config/load.js'
import type { ConfigOverrides } from '../../src/config/overrides.js'
import { AutotestError } from '../../src/errors.js'
import { redact } from '../../src/text/secrets.js'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'autotest-config-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function loaded(text: string, overrides?: ConfigOverrides): Promise<Config> {
  write('autotest.config.yaml', text)
  return loadConfig({ cwd: root, overrides })
}

async function refusal(text: string, overrides?: ConfigOverrides): Promise<AutotestError> {
  try {
    await loaded(text, overrides)
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw error
  }
  throw new Error('it was loaded')
}

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
      agents: 'agents',
      engine: undefined,
      engineTokenEnv: 'AUTOTEST_HTTP_TOKEN',
      fixture: undefined,
      dialect: undefined,
      agent: { kind: 'template' },
      asOf: undefined,
      scoring: { policy: 'evidence', tolerance: 1e-4, fuzz: 5, fuzzSource: undefined, seed: 1 },
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
          ['sql', 'judge', 'repairer', 'debugger'].map((role) => [
            role,
            { ...roleDefaults, definition: `${role}.yaml` },
          ]),
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
    })
    expect(sql.endpoint).toEqual({
      ...other.endpoint,
      settings: 'llm.roles.sql',
      headers: { ...other.endpoint.headers, 'x-team': 'agents' },
    })
    expect(sql.extraBody).toEqual({ reasoning_effort: 'low' })
    const alone = { headers: {}, query: {} }
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

describe('what is read', () => {
  it('every key', async () => {
    const config = await loaded(`
benchmarks: [benchmarks, "more/*.yaml"]
kb: ./knowledge/
agents: my/agents
engine: duckdb:data/shop.duckdb
fixture: data/shop.sql
engine_token_env: SHOP_TOKEN
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

describe('what is refused', () => {
  it.each<[string, RegExp, string | undefined]>([
    ['enigne: x', /:1:1 {2}unknown key `enigne`$/, 'did you mean `engine`?'],
    [
      'limits: {concurency: 2}',
      /:1:10 {2}unknown key `concurency` in `limits`$/,
      'did you mean `concurrency`?',
    ],
    ['agent: {kind: module, pth: x, path: y}', /unknown key `pth` in `agent`$/, 'did you mean `path`?'],
    ['agent: {kind: modul}', /`kind` cannot be `modul` in `agent`/, 'did you mean `module`?'],
    ['agent: {kind: module}', /`path` is missing in `agent`/, 'Add `path`.'],
    ['agent: {kind: command, run: []}', /`run` is empty/, undefined],
    [
      'agent: {kind: command, run: "a \'b"}',
      /`run` must be a program with its arguments, quotes closed/,
      undefined,
    ],
    ['agent: {kind: command, run: x, env: ["A=1"]}', /`env\[0\]` must be the name of a variable/, undefined],
    ['agent: template', /`agent` must be a map of keys, not `template`/, undefined],
    ['as_of: 2025-02-30', /`as_of` must be a date/, undefined],
    ['dialect: duckbd', /`dialect` cannot be `duckbd`/, 'did you mean `duckdb`?'],
    ['scoring: {policy: evidense}', /`policy` cannot be `evidense`/, 'did you mean `evidence`?'],
    ['scoring: {tolerance: .nan}', /`tolerance` must be a number/, undefined],
    ['limits: {query_timeout: 30}', /`query_timeout` must be written with its unit, as in 30s/, undefined],
    ['limits: {query_timeout: 0s}', /`query_timeout` is out of range/, undefined],
    ['limits: {query_timeout: 9999h}', /`query_timeout` is out of range/, undefined],
    ['limits: {bytes: 64}', /`bytes` must be written with its unit, as in 64MB/, undefined],
    ['limits: {concurrency: 0}', /`concurrency` must be at least 1/, undefined],
    ['limits: {concurrency: 1.5}', /`concurrency` must be a whole number, not `1.5`/, undefined],
    ['repair: {max_retries: -1}', /`max_retries` must not be negative/, undefined],
    ['repair: {repairer: [rule]}', /cannot be `rule`/, 'did you mean `rules`?'],
    ['budget: {llm_calls: 1.5}', /`llm_calls` /, undefined],
    ['budget: {shares: {sql: 2}}', /`sql` must be at most 1/, undefined],
    ['llm: {base_url: "ftp://x"}', /`base_url` must be an http or https address/, undefined],
    ['llm: {base_url: "http://me:secret@x"}', /`base_url` must be .* without a password/, undefined],
    [
      'llm: {base_url: "http://x/v1/chat/completions/"}',
      /`base_url` must end before \/chat\/completions/,
      undefined,
    ],
    ['llm: {base_url: "http://x/v1?key=abc"}', /`base_url` must end before .*`key_env`/, undefined],
    ['llm: {base_url: "http://x/v1?api-version=1"}', /query parameters into `extra_query`/, undefined],
    ['llm: {extra_headers: {"x y": a}}', /`x y` must be the name of a header/, undefined],
    ['llm: {extra_headers: {Content-Type: a}}', /is a header that autotest sets/, undefined],
    ['llm: {extra_headers: {Api-Key: abc}}', /`Api-Key` contains a secret, .* \{ env: NAME \}/, undefined],
    ['llm: {extra_headers: {cf-aig-authorization: abc}}', /contains a secret/, undefined],
    ['llm: {extra_headers: {x-team: "a\\nb"}}', /`x-team` contains a line break/, undefined],
    ['llm: {extra_headers: {x-team: {env: "A B"}}}', /must be the name of a variable/, undefined],
    ['llm: {extra_query: {key: abc}}', /`key` contains a secret, and addresses are shown/, undefined],
    ['llm: {roles: {sql: {extra_body: {n: 2}}}}', /`n` is decided by `--repeat`/, undefined],
    ['llm: {roles: {sql: {extra_body: {max_tokens: 2}}}}', /is decided by `max_tokens`/, undefined],
    [
      'llm: {roles: {sql: {extra_body: {gateway: {api_key: sk-12345678}}}}}',
      /`api_key` contains a secret, and requests are recorded/,
      undefined,
    ],
    ['llm: {roles: {sql: {model: "openai:"}}}', /`model` has no model/, undefined],
    [
      'llm: {roles: {sq: {model: x}}}',
      /unknown key `sq` in `llm\.roles`$/,
      'did you mean `sql`? Keys here: sql, judge, repairer, debugger.',
    ],
    [
      'budget: {shares: {agent: 0.5}}',
      /unknown key `agent` in `budget\.shares`$/,
      'Keys here: sql, judge, repairer, debugger.',
    ],
    ['llm: {roles: {sql: {modl: x}}}', /unknown key `modl`/, 'did you mean `model`?'],
    [
      'as_of: 2025-01-01\nengine: "http:https://me:secret@x/sql"',
      /^autotest\.config\.yaml:2:1 {2}`engine` must not hold a password: .*`engine_token_env`/,
      undefined,
    ],
    ['engine: "http://me:secret@x/sql"', /`engine` must not hold a password/, undefined],
    ['engine: "postgres://me:secret@x/db"', /`engine` must not hold a password/, undefined],
    ['engine: "http:https://x/sql?catalog=c&Token=secret"', /not hold a secret in `Token=`/, undefined],
    ['scoring: {fuzz_source: "http:https://x/?api_key=secret"}', /a secret in `api_key=`/, undefined],
    ['agent: {kind: http, url: "http://x/?key=secret"}', /`url` must be .* a secret in `key=`/, undefined],
    ['agent: {kind: http, url: host}', /`url` must be an http or https address/, undefined],
    ['repair: {min_grade: E0}', /`min_grade` cannot be `E0`/, undefined],
    ['benchmarks: []', /`benchmarks` is empty/, undefined],
    ['kb: ""', /`kb` is empty/, undefined],
    ['- kb', /file must be a map of keys, not a list/, undefined],
    ['kb: [', /autotest\.config\.yaml:1:\d+ {2}/, undefined],
  ])('%s', async (text, message, hint) => {
    const error = await refusal(text)
    expect(error.code).toBe('config_invalid')
    expect(error.message).toMatch(/^autotest\.config\.yaml:\d+:\d+ {2}/)
    expect(error.message).toMatch(message)
    if (hint !== undefined) expect(error.hint).toBe(hint)
    expect(`${error.message}${error.hint}`).not.toContain('secret@')
    expect(`${error.message}${error.hint}`).not.toContain('=secret')
  })

  it('what only looks like a secret is none', async () => {
    for (const text of [
      'engine: "http:https://x/sql?catalog=tokens&author=me"',
      'engine: "sqlite:data/x?token=1.db"',
      'agent: {kind: http, url: "http://x/?model=a&keyboard=b"}',
    ])
      await expect(loaded(text)).resolves.toBeDefined()
  })

  it.each([
    ['agent: {kind: subagent, definition: x}', 'agent kind `subagent` is not supported in this version'],
  ])('what only a later version has: %s', async (text, message) => {
    const error = await refusal(text)
    expect([error.code, error.message.split('  ')[1]]).toEqual(['config_invalid', message])
    expect(error.hint).toBeDefined()
  })

  it.each(['..', '../kb', '/etc', '.', 'kb/../..'])(
    'a knowledge base at %s, which edits may not touch',
    async (folder) => {
      expect((await refusal(`kb: ${folder}`)).message).toMatch(/is not a folder inside the project/)
      expect((await refusal(`agents: ${folder}`)).message).toMatch(/is not a folder inside the project/)
    },
  )
})

describe('flags', () => {
  it('win over the file', async () => {
    const overrides: ConfigOverrides = {
      benchmarks: ['x.yaml'],
      kb: 'other',
      engine: 'sqlite:x.db',
      dialect: 'mysql',
      agent: { kind: 'module', path: 'a.mjs', deterministic: false },
      asOf: '2024-01-01',
      policy: 'results',
      tolerance: 0.5,
      concurrency: 9,
      maxRetries: 1,
      minGrade: 'E2',
      timeMs: 5,
    }
    const config = await loaded(
      'benchmarks: a\nkb: b\nengine: duckdb:c\ndialect: trino\nas_of: 2025-01-01\nscoring: {policy: both}',
      overrides,
    )
    expect(config).toMatchObject({
      benchmarks: ['x.yaml'],
      kb: 'other',
      engine: 'sqlite:x.db',
      dialect: 'mysql',
      agent: { kind: 'module', path: 'a.mjs' },
      asOf: '2024-01-01',
      scoring: { policy: 'results', tolerance: 0.5 },
      limits: { concurrency: 9 },
      repair: { maxRetries: 1, minGrade: 'E2' },
      budget: { timeMs: 5 },
    })
  })

  it('name paths from the working folder, not from the root', async () => {
    write('autotest.config.yaml', '')
    mkdirSync(join(root, 'sub'))
    const overrides: ConfigOverrides = {
      benchmarks: ['b/*.yaml', join(root, 'abs.yaml')],
      kb: '../kb2',
      engine: 'sqlite:x.db',
      agent: { kind: 'module', path: './a.mjs', deterministic: false },
    }
    const config = await loadConfig({ cwd: join(root, 'sub'), overrides })
    expect(config).toMatchObject({
      benchmarks: ['sub/b/*.yaml', join(root, 'abs.yaml')],
      kb: 'kb2',
      engine: 'sqlite:sub/x.db',
      agent: { path: 'sub/a.mjs' },
    })
    expect(
      (await loadConfig({ cwd: join(root, 'sub'), overrides: { engine: 'duckdb::memory:' } })).engine,
    ).toBe('duckdb::memory:')
  })

  it.each<[ConfigOverrides, string]>([
    [{ concurrency: 0 }, '--concurrency 0: must be at least 1'],
    [{ concurrency: 2.5 }, '--concurrency 2.5: must be a whole number'],
    [{ maxRetries: -1 }, '--max-retries -1: must not be negative'],
    [{ asOf: 'today' }, '--as-of today: must be a date as in 2025-12-31'],
    [{ tolerance: 2 }, '--tolerance 2: must be below 1, or anything matches'],
    [
      { engine: 'http:https://me:secret@x/sql' },
      '--engine must not hold a password: a token goes into the variable of `engine_token_env`',
    ],
    [{ timeMs: 0 }, '--max-time 0: must be more than 0'],
  ])('%j is refused by the rules of the file', async (overrides, message) => {
    expect(await refusal('', overrides)).toMatchObject({ code: 'usage', message })
  })

  it('leave the root only to read benchmarks, never for knowledge', async () => {
    expect((await refusal('', { kb: '../kb' })).message).toMatch(/is not a folder inside the project/)
  })
})
