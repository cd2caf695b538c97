import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { prestoKind, trinoKind } from '../../../src/engine/server/trino.js'
import { engineContract, resultOf } from '../../contracts/engine.contract.js'
import { autotest, removeFolders, start } from '../../e2e/sample.js'
import { smallProject } from '../../e2e/small-project.js'
import { needsShared } from '../../needs.js'
import { needsTrino, startTrino, type TrinoCluster } from './trino-server.js'
import { freePort } from './unprivileged.js'

const limits: QueryLimits = { timeoutMs: 20_000, rows: 2000, bytes: 1_000_000, memoryBytes: 400_000_000 }
const options = { root: '/', concurrency: 4, memoryBytes: 400_000_000 }
const started = await startTrino()
const cluster = started as TrinoCluster
afterAll(() => {
  started?.stop()
  removeFolders()
})

const opened: Engine[] = []
async function open(address: string, concurrency = 4): Promise<Engine> {
  const engine = await trinoKind.open(address, { ...options, concurrency })
  opened.push(engine)
  return engine
}
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})

const rowsOf = async (engine: Engine, sql: string) => resultOf(await engine.query(sql, limits)).rows

describe('the contract on Trino', { ...needsTrino, timeout: 60_000 }, () => {
  beforeAll(async () => {
    await cluster.run('CREATE SCHEMA memory.contract')
    await cluster.run(`CREATE TABLE memory.contract.items AS SELECT i AS id,
      CASE WHEN i = 3 THEN NULL ELSE 'item ' || cast(i AS varchar) END AS name, i / 4e0 AS price
      FROM (SELECT cast(n AS integer) AS i FROM UNNEST(sequence(1, 1000)) AS t (n))`)
    await cluster.run(
      'CREATE VIEW memory.contract.cheap AS SELECT id, name FROM memory.contract.items WHERE price < 1',
    )
    // The first query of a cluster takes seconds, which is no figure of the contract.
    await cluster.run('SELECT sum(a.id) FROM memory.contract.items a, memory.contract.items b')
  }, 60_000)

  engineContract('trino', {
    async open(concurrency) {
      const engine = await open(cluster.address('memory/contract'), concurrency)
      opened.pop()
      return engine
    },
    forbidden: [
      'CALL system.runtime.kill_query()',
      "SET SESSION query_max_run_time = '10d'",
      "SELECT * FROM TABLE(postgresql.system.query(query => 'DELETE FROM a RETURNING 1'))",
      'SELECT * FROM TABLE(postgresql.system."query"(query => \'DELETE FROM a RETURNING 1\'))',
      "EXECUTE IMMEDIATE 'DELETE FROM a'",
    ],
  })
})

describe('values of Trino', { ...needsTrino, timeout: 60_000 }, () => {
  it.each([
    ['true', true],
    ["BIGINT '9007199254740993'", 9007199254740993n],
    ["DECIMAL '1.10'", { kind: 'decimal', text: '1.10' }],
    [
      "CAST('12345678901234567890.1234567890' AS decimal(38, 10))",
      { kind: 'decimal', text: '12345678901234567890.1234567890' },
    ],
    ['nan()', Number.NaN],
    ['-infinity()', Number.NEGATIVE_INFINITY],
    ['0.1e0 + 0.2e0', 0.30000000000000004],
    ['1e300', 1e300],
    ["REAL '1.1'", 1.1],
    ["DATE '2024-02-29'", { kind: 'date', text: '2024-02-29' }],
    ["TIMESTAMP '2024-02-29 12:34:56.123456'", { kind: 'timestamp', text: '2024-02-29 12:34:56.123456' }],
    ["TIMESTAMP '2024-02-29 12:00:00 +05:30'", { kind: 'timestamp', text: '2024-02-29 06:30:00+00' }],
    [
      "TIMESTAMP '2024-07-01 12:00:00.5 America/New_York'",
      { kind: 'timestamp', text: '2024-07-01 16:00:00.5+00' },
    ],
    ["INTERVAL '2' DAY", { kind: 'other', type: 'interval day to second', text: '2 00:00:00.000' }],
    ["CAST('ab' AS char(4))", 'ab  '],
    ["'🙂'", '🙂'],
    [
      'ARRAY[1, NULL, 9007199254740993]',
      { kind: 'other', type: 'array(bigint)', text: '[1,null,"9007199254740993"]' },
    ],
    ['JSON \'{"b": 1}\'', { kind: 'other', type: 'json', text: '{"b":1}' }],
    ["X'DEADBEEF'", { kind: 'other', type: 'varbinary', text: '3q2+7w==' }],
    ['NULL', null],
  ])('%s', async (sql, expected) => {
    expect(await rowsOf(await open(cluster.address()), `SELECT ${sql}`)).toEqual([[expected]])
  })
})

describe('a cluster of Trino', { ...needsTrino, timeout: 60_000 }, () => {
  const items = '../shared/hostile/sql.json'
  const listed = existsSync(items)
    ? (
        JSON.parse(readFileSync(items, 'utf8')) as {
          items: { engine: string; sql: string; expect: string }[]
        }
      ).items
    : []
  const hostile = listed.filter(({ engine }) => engine === 'trino')

  it('withstands what is hostile', needsShared('hostile/sql.json'), async () => {
    await cluster.run('CREATE TABLE IF NOT EXISTS memory.default.a AS SELECT 1 AS x')
    const engine = await open(cluster.address())
    for (const { sql, expect: wanted } of hostile) {
      const outcome = await engine.query(sql, { ...limits, timeoutMs: 3000 })
      const isCut = outcome.kind === 'rows' && outcome.result.cut !== null
      if (wanted === 'deny') expect([sql, outcome.kind]).toEqual([sql, 'refused'])
      else expect([sql, isCut || outcome.kind === 'killed']).toEqual([sql, true])
    }
    expect(await cluster.run('SELECT * FROM memory.default.a')).toEqual([[1]])
    await expect.poll(() => runningOf('reader'), { timeout: 3000 }).toEqual([])
  })

  const runningOf = (user: string) =>
    cluster.run(
      `SELECT query FROM system.runtime.queries WHERE "user" = '${user}' AND state NOT IN ('FINISHED', 'FAILED')`,
    )

  it('joins tables of two catalogues in one query', async () => {
    await cluster.run("CREATE TABLE other.default.cities AS SELECT 1 AS id, 'Porto' AS name")
    await cluster.run('CREATE TABLE memory.default.visits AS SELECT 1 AS city, 20 AS visitors')
    const engine = await open(cluster.address())
    const sql = 'SELECT name, visitors FROM other.default.cities JOIN visits ON city = id'
    expect(await rowsOf(engine, sql)).toEqual([['Porto', 20]])
  })

  it('a query at its deadline is deleted, and the error comes within a second', async () => {
    const engine = await open(cluster.address())
    const began = performance.now()
    const endless =
      'SELECT count(*) FROM tpch.sf100.lineitem a, tpch.sf100.lineitem b WHERE a.comment < b.comment'
    expect(await engine.query(endless, { ...limits, timeoutMs: 1000 })).toMatchObject({
      kind: 'killed',
      limit: 'deadline',
    })
    expect(performance.now() - began).toBeLessThan(2000)
    await expect.poll(() => runningOf('reader'), { timeout: 3000 }).toEqual([])
  })

  it('wrong catalogue, wrong schema, no server: each says what to correct', async () => {
    await expect(open(cluster.address('nope/default'))).rejects.toThrow(/nope/)
    await expect(open(cluster.address('memory/nope'))).rejects.toMatchObject({
      message: expect.stringMatching(/no schema nope/),
      hint: expect.stringMatching(/default/),
    })
    await expect(open(`//reader@127.0.0.1:${await freePort()}/memory/default`)).rejects.toThrow(
      /no server answers at http/,
    )
  })

  it('lists tables of other schemas by their names', async () => {
    const { tables } = await (await open(cluster.address('tpch/tiny'))).catalogue()
    expect(tables.find(({ name }) => name === 'region')?.columns.map(({ name }) => name)).toEqual([
      'regionkey',
      'name',
      'comment',
    ])
    expect(tables.some(({ name }) => name === 'sf1.region')).toBe(true)
  })

  // Last: the tables are gone afterwards.
  it('a worker that dies in the middle of a run takes its tables with it: errors and exit 3, no failure', async () => {
    await cluster.run('CREATE SCHEMA memory.shop')
    await cluster.run(`CREATE TABLE memory.shop.orders AS SELECT n AS id, element_at(ARRAY['ID', 'TH'], n % 2 + 1) AS market,
      date_add('day', n % 9, DATE '2025-11-01') AS day, cast(n AS double) AS amount, 'paid' AS status
      FROM UNNEST(sequence(1, 900)) AS t (n)`)
    const cases = Array.from(
      { length: 40 },
      (_, at) => `  - id: c${at}
    question: ID orders in November 2025
    expected_sql: "SELECT count(*) + ${at} - ${at} AS orders FROM orders WHERE market = 'ID' AND day BETWEEN DATE '2025-11-01' AND DATE '2025-11-30'"
`,
    )
    const dir = smallProject({
      'autotest.config.yaml': `engine: trino:${cluster.address('memory/shop')}\nas_of: 2025-12-31\nscoring: { policy: results }\n`,
      'benchmarks/gmv.yaml': `cases:\n${cases.join('')}`,
    })
    const whole = await autotest(dir, ['--no-repair'])
    expect([whole.code, whole.out.slice(-300)]).toEqual([0, expect.stringContaining('failed=0')])
    const run = start(dir, ['--no-repair', '-o', 'report.json'])
    const asked = async () => JSON.stringify(await runningOf('reader'))
    await expect.poll(asked, { timeout: 20_000, interval: 20 }).toContain('orders')
    cluster.killWorker()
    expect((await run.ended).code).toBe(3)
    const { cases: rows } = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))
    const verdicts = new Set(rows.map((row: { verdict: string }) => row.verdict))
    expect(verdicts.has('error')).toBe(true)
    expect(verdicts.has('fail')).toBe(false)
  }, 120_000)
})

/** A coordinator that answers as it is told. */
describe('a coordinator that does not answer as it should', () => {
  let server: Server
  let replies: (
    path: string,
    headers: Record<string, unknown>,
  ) => { status?: number; body: unknown; headers?: Record<string, string> }
  let base = ''
  const seen: { path: string; headers: Record<string, unknown> }[] = []
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ path: `${request.method} ${request.url}`, headers: request.headers })
      const {
        status = 200,
        body,
        headers = {},
      } = replies(`${request.method} ${request.url}`, request.headers)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    base = `//reader@127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => server.close())
  afterEach(() => {
    seen.length = 0
    delete process.env['TRINO_TOKEN']
    delete process.env['TRINO_PASSWORD']
  })

  const one = { id: 'q', columns: [{ name: 'x', type: 'integer' }], data: [[1]] }

  it('an address of another server is not asked', async () => {
    replies = () => ({ body: { id: 'q', nextUri: 'http://127.0.0.2:9/v1/statement/queued/1' } })
    await expect(open(base)).rejects.toThrow(/an address of another server/)
  })

  it('what a reply sets is not sent again; a token is', async () => {
    process.env['TRINO_TOKEN'] = 'secret-token-4711'
    replies = () => ({
      body: one,
      headers: { 'X-Trino-Set-Session': 'query_max_run_time=10d', 'X-Trino-Set-Catalog': 'evil' },
    })
    const engine = await open(base)
    await engine.query('SELECT 1', limits)
    expect(
      seen.map(({ headers }) => [
        headers['x-trino-session'],
        headers['x-trino-catalog'],
        headers['authorization'],
      ]),
    ).toEqual(seen.map(() => [undefined, undefined, 'Bearer secret-token-4711']))
  })

  it('passing trouble is waited for, a refused user is named, HTML and redirects too', async () => {
    let asked = 0
    replies = () => (asked++ === 0 ? { status: 503, body: 'starting' } : { body: one })
    expect(await rowsOf(await open(base), 'SELECT 1')).toEqual([[1]])
    process.env['TRINO_PASSWORD'] = 'pass-4711'
    replies = () => ({ status: 401, body: 'no: pass-4711' })
    await expect(open(base)).rejects.toThrow(/refuses the credentials \(HTTP 401\): no: \*\*\*/)
    replies = () => ({ body: '<html>sign in</html>' })
    await expect(open(base)).rejects.toThrow(/a page of HTML/)
    replies = () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.2/' } })
    await expect(open(base)).rejects.toMatchObject({
      hint: expect.stringMatching(/redirects are not followed/),
    })
  })

  it('a query that a restarted coordinator has forgotten is no failure', async () => {
    replies = (path) => (path.startsWith('POST') ? { body: one } : { status: 404, body: 'gone' })
    const engine = await open(base)
    replies = (path) =>
      path.startsWith('POST')
        ? { body: { id: 'q', nextUri: `http:${base.replace('reader@', '')}v1/next` } }
        : { status: 404, body: '"gone"' }
    await expect(engine.query('SELECT 1', limits)).rejects.toThrow(/no longer knows the query/)
  })

  it.each([
    ['USER_ERROR', 'DIVISION_BY_ZERO', { kind: 'failed' }],
    ['USER_ERROR', 'SYNTAX_ERROR', { kind: 'failed', message: expect.stringMatching(/^syntax error/) }],
    ['INSUFFICIENT_RESOURCES', 'EXCEEDED_TIME_LIMIT', { kind: 'killed', limit: 'deadline' }],
    ['INSUFFICIENT_RESOURCES', 'EXCEEDED_LOCAL_MEMORY_LIMIT', { kind: 'killed', limit: 'memory' }],
  ])('%s %s', async (errorType, errorName, expected) => {
    replies = () => ({ body: one })
    const engine = await open(base)
    replies = () => ({ body: { id: 'q', error: { message: 'why', errorType, errorName } } })
    expect(await engine.query('SELECT 1', limits)).toMatchObject(expected)
  })

  it.each([
    ['INTERNAL_ERROR', 'MISSING_DATA'],
    ['USER_ERROR', 'USER_CANCELED'],
    ['EXTERNAL', 'JDBC_ERROR'],
  ])('%s %s blames no query', async (errorType, errorName) => {
    replies = () => ({ body: one })
    const engine = await open(base)
    replies = () => ({ body: { id: 'q', error: { message: 'why', errorType, errorName } } })
    await expect(engine.query('SELECT 1', limits)).rejects.toMatchObject({ code: 'engine_unavailable' })
  })

  it('presto has the older headers', async () => {
    replies = () => ({ body: one })
    opened.push(await prestoKind.open(base, options))
    expect(seen[0]?.headers).toMatchObject({ 'x-presto-user': 'reader', 'x-presto-source': 'autotest' })
  })

  it('credentials are never sent in the clear to another machine; bad addresses name their fault', async () => {
    process.env['TRINO_PASSWORD'] = 'x'
    await expect(open('//reader@db.example.com/memory?sslmode=disable')).rejects.toThrow(/without encryption/)
    await expect(open('//reader@db/memory?sslmode=prefer')).rejects.toThrow(
      /sslmode is disable or verify-full/,
    )
    await expect(open('//reader@db/memory?allow_superuser=true')).rejects.toMatchObject({
      hint: expect.stringMatching(/trino:\/\/user@host:8080\/catalogue\/schema/),
    })
    await expect(open('//reader@db/memory?sslrootcert=nope.pem')).rejects.toThrow(/nope.pem cannot be read/)
  })
})
