import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlCase } from '../../src/benchmark/case.js'
import type { SqlScore } from '../../src/compare/model/sql-score.js'
import { createExpectedResultsCache } from '../../src/compare/outcomes/expected-results-cache.js'
import { type ScoreSqlInput, scoreSql } from '../../src/compare/score-sql.js'
import { scoreAgentError, scoreNoAnswer } from '../../src/contracts/score.js'
import type { Engine, QueryLimits, QueryOutcome } from '../../src/engine/contract/engine.js'
import { sqliteKind } from '../../src/engine/file/sqlite.js'
import { openEngine } from '../../src/engine/open-engine.js'
import { AutotestError } from '../../src/errors.js'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { loadSqlParser } from '../../src/sql/index.js'

const limits: QueryLimits = { timeoutMs: 10_000, rows: 1000, bytes: 1e6, memoryBytes: 5e8 }

let folder: string
let engine: Engine

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'autotest-score-'))
  const database = new Database(join(folder, 'shop.db'))
  database.exec(`
    CREATE TABLE orders (id INTEGER, market TEXT, tz TEXT, amount REAL);
    INSERT INTO orders VALUES (1, 'ID', 'local', 10.5), (2, 'TH', 'local', 10.5), (3, 'TH', 'utc', 7.25), (4, 'SG', 'local', 3);
  `)
  database.close()
  engine = await openEngine('sqlite:shop.db', [sqliteKind], {
    root: folder,
    concurrency: 1,
    memoryBytes: 5e8,
  })
})

afterAll(async () => {
  await engine?.close()
  rmSync(folder, { recursive: true, force: true })
})

function sqlCase(expectedSql: string, more: Partial<SqlCase> = {}): SqlCase {
  const location = { file: 'benchmarks/orders.yaml', line: 86, column: 5 }
  return {
    kind: 'sql',
    id: 'a',
    question: 'Q',
    expectedSql,
    tags: [],
    compare: {},
    location,
    sqlLocation: { ...location, line: 88 },
    ...more,
  }
}

function score(
  expectedSql: string,
  sql: string,
  more: Partial<ScoreSqlInput> & { readonly testCase?: SqlCase } = {},
): Promise<SqlScore> {
  return scoreSql({
    testCase: sqlCase(expectedSql),
    sql,
    agentDialect: 'sqlite',
    engine,
    limits,
    defaults: { policy: 'evidence', tolerance: 1e-4 },
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    ...more,
  })
}

/** The real engine, with a record of what it was asked, or with answers of its own. */
function watched(answer?: (sql: string) => Promise<QueryOutcome> | undefined): {
  readonly engine: Engine
  readonly asked: string[]
} {
  const asked: string[] = []
  const query: Engine['query'] = async (sql, caps) => {
    asked.push(sql)
    return (await answer?.(sql)) ?? engine.query(sql, caps)
  }
  return { engine: { ...engine, query, url: engine.url, dialect: engine.dialect }, asked }
}

const noParser = () => Promise.reject(new Error('no parser is needed here'))

describe('equal queries', () => {
  it('pass by structure', async () => {
    const found = await score(
      "SELECT o.market, sum(amount) FROM orders o WHERE tz = 'local' GROUP BY 1",
      "select sum(amount), market from orders where 'local' = tz group by market",
    )
    expect(found).toMatchObject({
      verdict: 'pass',
      by: 'structure',
      reason: 'equal structure',
      structure: { kind: 'equal' },
      results: { kind: 'match' },
    })
  })

  it('of one text run once and need no parser', async () => {
    const { engine: counting, asked } = watched()
    const found = await score('SELECT 1 FROM orders', 'select 1\nfrom orders;', {
      engine: counting,
      loadParser: noParser,
    })
    expect([found.verdict, found.by, asked.length]).toEqual(['pass', 'structure', 1])
  })

  it('that give other rows each time are run again, then an error of neither', async () => {
    const { engine: counting, asked } = watched()
    const found = await score(
      'SELECT id, random() AS r FROM orders',
      'SELECT random() AS r, id FROM orders',
      { engine: counting },
    )
    expect(found).toMatchObject({
      verdict: 'error',
      errorCause: 'nondeterministic',
      structure: { kind: 'equal' },
    })
    expect(found.reason).toMatch(/not deterministic/)
    expect(asked).toHaveLength(4)
  })

  it('of which the expected one takes any of several rows are an error of neither, where the answer took another', async () => {
    const { engine: counting, asked } = watched()
    const tied = 'SELECT market FROM orders ORDER BY amount DESC LIMIT 1'
    const found = await score(tied, 'SELECT market FROM orders WHERE id = 2', { engine: counting })
    expect(found).toMatchObject({ verdict: 'error', errorCause: 'nondeterministic' })
    expect(found.reason).toBe(
      'expected_sql is not deterministic: with the same rows stored in another order it returns what the answer returns (benchmarks/orders.yaml:88)',
    )
    expect(await score(tied, 'SELECT market FROM orders WHERE id = 4')).toMatchObject({ verdict: 'fail' })
    // Nothing more is run where no row could be another.
    const before = asked.length
    const untied = await score('SELECT sum(amount) FROM orders', 'SELECT sum(id) FROM orders', {
      engine: counting,
    })
    expect([untied.verdict, asked.length - before]).toEqual(['fail', 2])
  })

  it('of which one was stopped once pass when it gets through', async () => {
    let stopped = 0
    const { engine: slow } = watched((sql) =>
      sql.startsWith('SELECT market') && stopped++ === 0
        ? Promise.resolve({ kind: 'killed', limit: 'deadline', message: 'x' })
        : undefined,
    )
    expect(
      await score('SELECT id, market FROM orders', 'SELECT market, id FROM orders', { engine: slow }),
    ).toMatchObject({ verdict: 'pass', by: 'structure' })
  })

  it('that are cut both are unproven', async () => {
    const found = await score('SELECT id FROM orders', 'SELECT id FROM orders', {
      limits: { ...limits, rows: 2 },
    })
    expect(found).toMatchObject({
      verdict: 'unproven',
      reason: 'equal structure, but both results have more than 2 rows (limits.rows)',
    })
  })
})

describe('other queries', () => {
  it('fail with their differences in words and the count of rows', async () => {
    const found = await score(
      "SELECT sum(amount) AS s FROM orders WHERE tz = 'local'",
      'SELECT sum(amount) AS s FROM orders',
    )
    expect(found).toMatchObject({
      verdict: 'fail',
      reason: "filter missing: tz = 'local'; 1 of 1 rows differ",
      results: { kind: 'mismatch' },
    })
  })

  it('with equal rows on the one database are unproven, and the line says what would accept them', async () => {
    const found = await score(
      'SELECT market FROM orders WHERE id = 1',
      "SELECT market FROM orders WHERE market = 'ID'",
    )
    expect(found.verdict).toBe('unproven')
    expect(found.reason).toMatch(/results match on one database; --policy results would accept it$/)
  })

  it('with equal rows pass by results where the case says so', async () => {
    const testCase = sqlCase('SELECT market FROM orders WHERE id = 1', { compare: { policy: 'results' } })
    expect(await score('', "SELECT market FROM orders WHERE market = 'ID'", { testCase })).toMatchObject({
      verdict: 'pass',
      by: 'results',
      reason: 'equal results',
    })
  })

  it('that the engine does not take fail, with its message', async () => {
    const found = await score('SELECT id FROM orders', 'SELECT idd FROM orders')
    expect(found).toMatchObject({ verdict: 'fail', results: { kind: 'generated_failed', how: 'failed' } })
    expect(found.reason).toMatch(/SQL fails: .*idd/)
  })

  it.each(['DELETE FROM orders', 'SELECT 1; SELECT 2', 'hello', ''])(
    'that are no query fail: %j',
    async (sql) => {
      expect(await score('SELECT id FROM orders', sql)).toMatchObject({
        verdict: 'fail',
        structure: { kind: 'unparsable', side: 'generated' },
      })
    },
  )

  it('that run too long fail, and say that it was for their time', async () => {
    const endless = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t'
    const found = await score('SELECT id FROM orders', endless, { limits: { ...limits, timeoutMs: 300 } })
    expect(found).toMatchObject({
      verdict: 'fail',
      isLate: true,
      results: { kind: 'generated_failed', how: 'killed' },
    })
  })

  it("whose expected query runs too long are suspect oracles: the limit is the user's", async () => {
    const endless = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t'
    const found = await score(endless, 'SELECT id FROM orders', { limits: { ...limits, timeoutMs: 300 } })
    expect(found).toMatchObject({ verdict: 'error', errorCause: 'suspect_oracle' })
  })

  it('that give more rows than are kept fail where the expected result is whole', async () => {
    const found = await score('SELECT id FROM orders WHERE id < 3', 'SELECT id FROM orders', {
      limits: { ...limits, rows: 2 },
    })
    expect(found).toMatchObject({ verdict: 'fail', results: { kind: 'cut', side: 'generated' } })
  })
})

describe('the expected query', () => {
  it('that fails is a suspect oracle, at its place', async () => {
    const found = await score('SELECT refundd FROM orders', 'SELECT id FROM orders')
    expect(found).toMatchObject({ verdict: 'error', errorCause: 'suspect_oracle' })
    expect(found.reason).toMatch(/^expected_sql fails: .*refundd.* \(benchmarks\/orders\.yaml:88\)$/)
  })

  it('that is cut is one as well', async () => {
    const found = await score('SELECT id FROM orders', 'SELECT market FROM orders', {
      limits: { ...limits, rows: 2 },
    })
    expect(found).toMatchObject({ verdict: 'error', errorCause: 'suspect_oracle' })
    expect(found.reason).toMatch(/^expected_sql is truncated: .* \(benchmarks\/orders\.yaml:88\)$/)
  })

  it('that a query service cut short never match', async () => {
    const columns = [{ name: 'id', type: '' }]
    const { engine: service } = watched(async (sql) => {
      const cut = sql.includes('market') ? 'service' : null
      return { kind: 'rows', result: { columns, rows: [[1]], cut }, ms: 1 }
    })
    const found = await score('SELECT id FROM orders', 'SELECT id FROM orders WHERE market IS NULL', {
      engine: service,
    })
    expect(found).toMatchObject({ verdict: 'fail', results: { kind: 'cut', side: 'generated' } })
    expect(found.reason).toContain('the generated result has more rows than the query service returns')
  })

  it('is run once, however often the case is scored', async () => {
    const { engine: counting, asked } = watched()
    const expectedResults = createExpectedResultsCache()
    const expected = 'SELECT id FROM orders WHERE id = 1'
    for (const id of [2, 3, 4])
      await score(expected, `SELECT id FROM orders WHERE id = ${id}`, { engine: counting, expectedResults })
    expect(asked.filter((sql) => sql === expected)).toHaveLength(1)
    expect(asked).toHaveLength(4)
  })
})

describe('row order', () => {
  const ordered = 'SELECT market, amount FROM orders ORDER BY amount DESC'

  it('counts where the expected query orders its outermost select', async () => {
    const found = await score(ordered, 'SELECT market, amount FROM orders ORDER BY amount')
    expect(found).toMatchObject({ verdict: 'fail' })
    expect(found.reason).toMatch(/rows are in another order, from row 1 on$/)
  })

  it('does not where only a subquery is ordered', async () => {
    const found = await score(
      'SELECT id FROM (SELECT id FROM orders ORDER BY id LIMIT 2) t',
      'SELECT id FROM orders WHERE id IN (2, 1) ORDER BY id DESC',
    )
    expect(found.results).toMatchObject({ kind: 'match' })
  })

  it.each([
    ['a column', ordered],
    ['a position', 'SELECT market, amount FROM orders ORDER BY 2 DESC'],
    ['an alias', 'SELECT market, amount AS a FROM orders ORDER BY a DESC'],
    ['a qualified column', 'SELECT o.market, o.amount FROM orders o ORDER BY o.amount DESC'],
    ['an expression', 'SELECT market, amount + 1 AS x FROM orders ORDER BY amount + 1 DESC'],
  ])('lets rows that tie in %s come in any order', async (_name, expected) => {
    // ID and TH tie at 10.5.
    const shown = expected.includes('+ 1') ? 'amount + 1' : 'amount'
    const found = await score(
      expected,
      `SELECT market, ${shown} AS y FROM orders ORDER BY amount DESC, market DESC`,
    )
    expect(found.results).toMatchObject({ kind: 'match' })
  })

  it('lets ties of a star query come in any order too', async () => {
    const found = await score(
      'SELECT * FROM orders ORDER BY amount DESC',
      'SELECT * FROM orders ORDER BY amount DESC, id DESC',
    )
    expect(found.results).toMatchObject({ kind: 'match' })
  })

  it('is strict where the ordering column is not shown', async () => {
    const found = await score(
      'SELECT market FROM orders ORDER BY id',
      'SELECT market FROM orders ORDER BY id DESC',
    )
    expect(found.results).toMatchObject({ kind: 'mismatch' })
  })

  it('follows the case', async () => {
    const testCase = sqlCase(ordered, { compare: { order: 'unordered' } })
    expect(
      (await score('', 'SELECT market, amount FROM orders ORDER BY amount', { testCase })).results,
    ).toMatchObject({ kind: 'match' })
    const strict = sqlCase('SELECT id FROM orders', { compare: { order: 'ordered' } })
    expect(
      (await score('', 'SELECT id FROM orders ORDER BY id DESC', { testCase: strict })).results,
    ).toMatchObject({ kind: 'mismatch' })
  })
})

describe('ties', () => {
  it.each([
    ['a column that is not shown', 'SELECT market FROM orders ORDER BY amount DESC', 'amount DESC'],
    ['a column of a star', 'SELECT * FROM orders ORDER BY lower(market)', 'lower(market)'],
    ['an expression', 'SELECT id, market FROM orders ORDER BY id % 2', 'id % 2'],
    ['a collation', 'SELECT market FROM orders ORDER BY lower(market) COLLATE NOCASE', 'lower(market)'],
    ['a position and a hidden column', 'SELECT market AS m, id FROM orders ORDER BY 1, tz', 'market, tz'],
    ['an aggregate', 'SELECT market AS m FROM orders GROUP BY market ORDER BY count(*) > 9', 'count(*) > 9'],
  ])('in %s are what the engine says, and come in any order', async (_name, expected, keys) => {
    const shown = /^SELECT .* FROM orders( GROUP BY market)?/.exec(expected)?.[0] ?? ''
    const tied = await score(expected, `${shown.replace(' AS m', '')} ORDER BY ${keys}, id DESC`)
    expect(tied.results).toMatchObject({ kind: 'match' })
    const wrong = await score(expected, `${shown.replace(' AS m', '')} ORDER BY id = 3 DESC, id = 4 DESC`)
    const isOneTie = keys.startsWith('count')
    expect(wrong.results).toMatchObject({ kind: isOneTie ? 'match' : 'mismatch' })
  })

  it('are not asked for where a name in a key may be that of an output', async () => {
    const { engine: asked, asked: queries } = watched()
    const expected = 'SELECT tz AS market, id FROM orders ORDER BY upper(market)'
    await score(expected, 'SELECT tz AS market, id FROM orders ORDER BY id DESC', { engine: asked })
    expect(queries.filter((sql) => sql.includes('rank'))).toEqual([])
  })
})

describe('texts that spell a day', () => {
  it('are exact in SQLite, which has no dates', async () => {
    const found = await score("SELECT date('2025-11-30') AS d", "SELECT datetime('2025-11-30') AS d")
    expect(found.results).toMatchObject({ kind: 'mismatch' })
  })
})

describe('dialects', () => {
  it("other than the engine's are carried over, on both sides", async () => {
    // SQLite takes neither text as it stands.
    const testCase = sqlCase('SELECT id::text AS i FROM orders', { dialect: 'postgres' })
    const found = await score('', 'SELECT id::text AS j FROM orders', { testCase, agentDialect: 'duckdb' })
    expect(found).toMatchObject({ verdict: 'pass', results: { kind: 'match' } })
    expect(await score('SELECT id::text FROM orders', 'SELECT 1')).toMatchObject({
      errorCause: 'suspect_oracle',
    })
  })

  it('are compared as they are written', async () => {
    const written = { dialect: 'bigquery' } as const
    const testCase = sqlCase('SELECT DATE_TRUNC(placed_at, ISOWEEK) FROM orders', written)
    const other = { agentDialect: 'postgres', engine: undefined } as const
    const weeks = "SELECT DATE_TRUNC('week', placed_at) FROM orders"
    expect(await score('', weeks, { testCase, ...other })).toMatchObject({ verdict: 'pass' })
    const sundays = sqlCase('SELECT DATE_TRUNC(placed_at, WEEK) FROM orders', written)
    expect(await score('', weeks, { testCase: sundays, ...other })).toMatchObject({ verdict: 'unproven' })
  })

  it('that cannot be carried over are an error, never a wrong answer', async () => {
    const testCase = sqlCase('SELECT FROM WHERE', { dialect: 'trino' })
    const found = await score('', 'SELECT 1', { testCase })
    expect(found).toMatchObject({ verdict: 'error', errorCause: 'transpile' })
    expect(found.reason).toMatch(
      /^expected_sql cannot be transpiled from trino to sqlite: .*\(benchmarks\/orders\.yaml:88\)$/,
    )
    const other = await score('SELECT 1', 'SELECT FROM WHERE', { agentDialect: 'trino' })
    expect(other).toMatchObject({ verdict: 'error', errorCause: 'transpile' })
  })
})

describe('without results', () => {
  it('equal structure passes and anything else is unproven', async () => {
    expect(await score('SELECT a, b FROM t', 'SELECT b, a FROM t', { engine: undefined })).toMatchObject({
      verdict: 'pass',
      by: 'structure',
    })
    const found = await score('SELECT a FROM t WHERE b = 1', 'SELECT a FROM t', { engine: undefined })
    expect(found).toMatchObject({
      verdict: 'unproven',
      reason: 'filter missing: b = 1',
      results: { kind: 'skipped' },
    })
  })

  it('policy structure runs nothing', async () => {
    const { engine: counting, asked } = watched()
    const testCase = sqlCase('SELECT id FROM orders WHERE id = 1', { compare: { policy: 'structure' } })
    expect((await score('', 'SELECT id FROM orders', { testCase, engine: counting })).verdict).toBe('fail')
    expect(asked).toEqual([])
  })
})

describe('no answer and no engine', () => {
  it('an abstention fails with its message, a broken agent is an error', () => {
    expect(scoreNoAnswer('no metric for: devices')).toEqual({
      verdict: 'fail',
      reason: 'no answer: no metric for: devices',
    })
    expect(scoreAgentError('exit code 1')).toEqual({
      verdict: 'error',
      errorCause: 'agent',
      reason: 'agent: exit code 1',
    })
  })

  it('an engine at fault is an error of the engine, a bug stays a bug', async () => {
    const failing = (error: Error) => watched(() => Promise.reject(error)).engine
    const gone = new AutotestError('engine_unavailable', 'shop.db is gone')
    expect(await score('SELECT 1', 'SELECT 2', { engine: failing(gone) })).toMatchObject({
      verdict: 'error',
      errorCause: 'engine',
      reason: 'shop.db is gone',
    })
    await expect(score('SELECT 1', 'SELECT 2', { engine: failing(new Error('bug')) })).rejects.toThrow('bug')
  })
})
