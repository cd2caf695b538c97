import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  autotest,
  autotestProcess,
  cli,
  type Ended,
  removeFolders,
  sampleCopy,
  scratchFolder,
  start,
} from './sample.js'

const equal = ['--expected', 'select a from t where b <> 1', '--generated', 'SELECT t.a FROM t WHERE 1 != b']
const different = [
  '--expected',
  "select sum(gmv) from orders where tz = 'local'",
  '--generated',
  'select avg(gmv) from orders',
]

/** Runs `compare --jsonl` with the lines on standard input. */
function bulk(lines: readonly unknown[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, 'compare', '--jsonl'], { cwd: scratchFolder() })
    const ended = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      ended.out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      ended.err += String(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...ended }))
    child.stdin.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  })
}

afterAll(removeFolders)

describe('autotest compare', () => {
  it('passes two queries of one meaning', async () => {
    const { code, out } = await autotest(scratchFolder(), ['compare', ...equal])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/structure +equal[\s\S]*verdict +pass: equal structure/),
    ])
  })

  it('says by component how two queries differ', async () => {
    const { code, out } = await autotest(scratchFolder(), ['compare', ...different])
    expect(code).toBe(1)
    expect(out).toMatch(/filters +filter missing: tz = 'local'/)
    expect(out).toMatch(/aggregates +aggregate: avg\(gmv\) instead of sum\(gmv\)/)
    expect(out).toMatch(/verdict +unproven: /)
  })

  it('runs on a query service, in the dialect of the flag or of the project, with its token', async () => {
    const tokens: unknown[] = []
    const service = createServer((request, response) => {
      tokens.push(request.headers.authorization)
      response.end('{"columns":["a"],"rows":[[1]]}')
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const engine = `http:http://127.0.0.1:${(service.address() as AddressInfo).port}/query`
    try {
      const dir = scratchFolder()
      const env = { AUTOTEST_HTTP_TOKEN: 'tok-4711' }
      const flags = await autotest(dir, ['compare', ...equal, '--engine', engine, '--dialect', 'trino'], env)
      expect(flags.out + flags.err).toMatch(/results +match/)
      writeFileSync(join(dir, 'autotest.config.yaml'), `engine: ${engine}\ndialect: trino\n`)
      const project = await autotest(dir, ['compare', ...equal, '--engine', engine], env)
      expect(project.out + project.err).toMatch(/results +match/)
      expect(new Set(tokens)).toEqual(new Set(['Bearer tok-4711']))
      tokens.length = 0
      // An engine that only a line names is nobody's choice to trust.
      const line = { expected: 'select 1', generated: 'select 1', engine: `${engine}/other` }
      writeFileSync(join(dir, 'lines'), JSON.stringify(line))
      const lines = await autotestProcess(dir, ['compare', '--jsonl', 'lines'], env)
      expect(lines.out).toContain('"verdict":"pass"')
      expect(new Set(tokens)).toEqual(new Set([undefined]))
    } finally {
      service.close()
    }
  })

  it('--explain prints the canonical forms side by side', async () => {
    const { out } = await autotest(scratchFolder(), ['compare', ...different, '--explain'])
    expect(out).toMatch(/^expected +│ generated$/m)
    expect(out).toMatch(/^SELECT sum\(gmv\) +│ SELECT avg\(gmv\)$/m)
  })

  it('reads queries from files, with a byte order mark and CRLF', async () => {
    const dir = scratchFolder()
    writeFileSync(join(dir, 'gold.sql'), '\u{feff}select a\r\nfrom t\r\n')
    const files = ['--expected', '@gold.sql', '--generated', 'select a from t']
    expect((await autotest(dir, ['compare', ...files])).code).toBe(0)
  })

  it('takes a query that begins with a comment, after a space or after =', async () => {
    const sql = '-- of the region\nSELECT a FROM t'
    for (const args of [
      ['--expected', sql, '--generated', sql],
      [`--expected=${sql}`, '--generated', 'select a from t'],
      ['--expected', '--no space\nselect a from t', `--generated=${sql}`],
    ])
      expect((await autotest(scratchFolder(), ['compare', ...args])).code).toBe(0)
  })

  it('compares queries in two dialects as they are written', async () => {
    const pair = [
      '--expected',
      'SELECT extract(dow FROM d) FROM t',
      '--generated',
      'SELECT dayofweek(d) - 1 FROM t',
    ]
    const dialects = ['--expected-dialect', 'postgres', '--generated-dialect', 'mysql']
    const found = await autotest(scratchFolder(), ['compare', ...pair, ...dialects, '--explain'])
    expect([found.code, found.out]).toEqual([
      0,
      expect.stringMatching(/structure +equal[\s\S]*canonical form of both/),
    ])
    const other = pair.with(3, 'SELECT dayofweek(d) FROM t')
    const wrong = await autotest(scratchFolder(), ['compare', ...other, ...dialects])
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('different (not proved equal)')])
  })

  it('does not list more differences than anyone reads', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `a${at}`).join(', ')
    const dir = scratchFolder()
    writeFileSync(join(dir, 'wide.sql'), `SELECT ${many} FROM t`)
    const { out } = await autotest(dir, [
      'compare',
      '--expected',
      '@wide.sql',
      '--generated',
      'SELECT a0 FROM t',
    ])
    expect(out.split('\n').length).toBeLessThan(60)
    expect(out).toMatch(/and 9959 more differences/)
  })

  it.each<[string, string[], RegExp]>([
    [
      'a dialect for one of two queries',
      [...equal, '--expected-dialect', 'postgres'],
      /dialect of the generated query is missing/,
    ],
    ['an unknown dialect of one', [...equal, '--generated-dialect', 'mysqll'], /did you mean "mysql"/],
    [
      'a flag without its value',
      ['--expected', '--generated', 'select 1'],
      /--expected needs a value[\s\S]*after =/,
    ],
    ['nothing', [], /nothing to compare/],
    ['one query', ['--expected', 'select 1'], /--generated is missing/],
    ['an empty query', ['--expected', 'select 1', '--generated', ' '], /--generated/],
    [
      'a file that is not there',
      ['--expected', '@none.sql', '--generated', 'select 1'],
      /@none.sql cannot be read/,
    ],
    ['an unknown dialect', [...equal, '--dialect', 'bigqery'], /did you mean "bigquery"/],
    ['an unknown engine', [...equal, '--engine', 'oracle:x'], /oracle/],
    ['two questions at once', ['some_case', ...equal], /cannot be combined/],
    ['a case where nothing was run', ['some_case'], /no run is recorded/],
    ['lines that are not there', ['--jsonl', 'none.jsonl'], /none.jsonl cannot be read/],
    ['lines that are a folder', ['--jsonl', '.'], /folder/],
    ['forms of many pairs', ['--jsonl', '-', '--explain'], /--explain and --jsonl cannot be combined/],
  ])('refuses %s with exit code 2', async (_name, args, words) => {
    const { code, err } = await autotest(scratchFolder(), ['compare', ...args])
    expect([code, err]).toEqual([2, expect.stringMatching(words)])
  })

  it('refuses a file that is not UTF-8', async () => {
    const dir = scratchFolder()
    writeFileSync(join(dir, 'latin.sql'), Buffer.from("SELECT 'caf\u00e9'", 'latin1'))
    const { code, err } = await autotest(dir, [
      'compare',
      '--expected',
      '@latin.sql',
      '--generated',
      'select 1',
    ])
    expect([code, err]).toEqual([2, expect.stringMatching(/@latin\.sql is not UTF-8/)])
  })

  it('names what was given without marks that turn the writing around', async () => {
    const { err } = await autotest(scratchFolder(), ['compare', 'case\u202eone'])
    expect(err).toContain('no answer of case one')
  })

  it.each<[string, string]>([
    ['what is no query', 'drop table t'],
    ['several statements', 'select 1; select 2'],
    ['comments only', '/* nothing */'],
    ['what nests too deeply', `${'SELECT * FROM ('.repeat(400)}t${')'.repeat(400)}`],
  ])('%s is a finding, and does not pass', async (_name, generated) => {
    const { code, out } = await autotest(scratchFolder(), [
      'compare',
      '--expected',
      'select 1',
      '--generated',
      generated,
    ])
    expect([code, out]).toEqual([1, expect.stringMatching(/unparsable: the generated query: \S/)])
  })
})

describe('autotest compare on a database', () => {
  const engine = ['--engine', 'duckdb:data/shop.duckdb']
  let dir = ''

  beforeAll(async () => {
    dir = sampleCopy()
    await autotest(dir, ['--no-repair', '--tags', 'dau'])
  })

  it('shows the rows that differ', async () => {
    const queries = ['--expected', 'select 1 as a, 2.5 as b', '--generated', 'select 1 as a, 3.5 as b']
    const { code, out } = await autotest(dir, ['compare', ...queries, ...engine])
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/1 of 1 rows differ[\s\S]*- 1 +2\.5\n +\+ 1 +3\.5/),
    ])
  })

  it('--explain shows the forms with the columns of the database', async () => {
    const queries = ['--expected', 'SELECT * FROM commerce.markets', '--generated', 'SELECT 1']
    const { out } = await autotest(dir, ['compare', ...queries, ...engine, '--explain'])
    expect(out).toMatch(/│/)
    expect(out.slice(out.indexOf('canonical form'))).not.toMatch(/SELECT (?:markets\.)?\*/)
  })

  it('compares a case of the last run as it was answered, and names the nearest one', async () => {
    const listed = await autotest(dir, ['--list', '--tags', 'dau'])
    const id = listed.out.split(' ')[0] ?? ''
    const found = await autotest(dir, ['compare', id, '--explain'])
    expect([found.code, found.out]).toEqual([0, expect.stringMatching(/verdict +pass[\s\S]*canonical form/)])
    const wrong = await autotest(dir, ['compare', `${id}x`])
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining(`did you mean ${id}?`)])
  })
})

describe('autotest compare --jsonl', () => {
  it('answers every line in its place; verdicts do not change the exit code', async () => {
    const { code, out } = await bulk([
      { id: 1, expected: 'select a from t', generated: 'select b from t' },
      'oops',
      {
        id: 2,
        expected_result: { columns: ['a'], rows: [[1]] },
        generated_result: { columns: ['b'], rows: [[1]] },
      },
    ])
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, answers]).toMatchObject([
      0,
      [{ id: 1, verdict: 'unproven' }, { line: 2 }, { id: 2, verdict: 'pass' }],
    ])
  })

  it('reads standard input where its file is a dash', async () => {
    const program = start(scratchFolder(), ['compare', '--jsonl', '-'])
    program.send('{"id":7,"expected":"select 1","generated":"select 1"}')
    program.end()
    expect(await program.ended).toMatchObject({ code: 0, out: expect.stringMatching(/^\{"id":7,/) })
  })

  it('ends quietly when nobody reads on', async () => {
    const dir = scratchFolder()
    const line = '{"expected":"select 1","generated":"select 1"}\n'
    writeFileSync(join(dir, 'many.jsonl'), line.repeat(20_000))
    const child = spawn(process.execPath, [cli, 'compare', '--jsonl', 'many.jsonl'], { cwd: dir })
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, err]).toEqual([0, ''])
  })
})
