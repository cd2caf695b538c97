import { describe, expect, it } from 'vitest'
import { inTemporaryFolder, loaded, refusal } from './config-files.js'

inTemporaryFolder()

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
    ['llm: {provider: azure}', /azure needs the `base_url` of your resource/, undefined],
    ['llm: {roles: {sql: {provider: azure}}}', /azure needs the `base_url`/, undefined],
    ['llm: {provider: olama}', /`provider` cannot be `olama` in `llm`/, undefined],
    ['llm: {structured: json}', /`structured` cannot be `json` in `llm`/, undefined],
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
    ['llm: {roles: {sq: {model: x}}}', /unknown key `sq` in `llm\.roles`$/, 'did you mean `sql`?'],
    [
      'budget: {shares: {agent: 0.5}}',
      /unknown key `agent` in `budget\.shares`$/,
      'Keys here: sql, test_writer, judge, repairer, coder, debugger.',
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
    [
      'allow_functions: ["f()"]',
      /`allow_functions.*` must be the name of a function.*without parentheses/,
      undefined,
    ],
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

  it.each(['..', '../kb', '/etc', '.', 'kb/../..'])(
    'a knowledge base at %s, which edits may not touch',
    async (folder) => {
      expect((await refusal(`kb: ${folder}`)).message).toMatch(/is not a folder inside the project/)
      expect((await refusal(`agents: ${folder}`)).message).toMatch(/is not a folder inside the project/)
    },
  )
})
