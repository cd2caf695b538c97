import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { SqlCase } from '../../../src/benchmark/case.js'
import {
  type CopyComparerOptions,
  createCopyComparer,
} from '../../../src/compare/copies/compare-on-copies.js'
import type { SqlScore } from '../../../src/compare/model/sql-score.js'
import { createExpectedResultsCache } from '../../../src/compare/outcomes/expected-results-cache.js'
import { type ScoreSqlInput, scoreSql } from '../../../src/compare/score-sql.js'
import type { Engine, FuzzedCopy, QueryLimits } from '../../../src/engine/contract/engine.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { AutotestError } from '../../../src/errors.js'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { loadSqlParser } from '../../../src/sql/index.js'

const limits: QueryLimits = { timeoutMs: 10_000, rows: 1000, bytes: 1e6, memoryBytes: 5e8 }

let root: string
let engine: Engine

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'autotest-copies-'))
  const database = new Database(join(root, 'shop.db'))
  // Nobody shares a name, every customer ordered, nothing is NULL: one database tells little apart.
  database.exec(`
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
    CREATE TABLE orders (
      id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers (id), amount INTEGER NOT NULL, coupon TEXT
    );
    CREATE TABLE bills (customer INTEGER NOT NULL, month TEXT NOT NULL, paid INTEGER NOT NULL, PRIMARY KEY (customer, month));
    CREATE TABLE parcels (id INTEGER PRIMARY KEY, tags TEXT NOT NULL);
    INSERT INTO parcels VALUES (1, '{"size": "S", "cool": {"from": 2}}'), (2, '{"size": "M"}'), (3, '{"size": "S"}');
    INSERT INTO bills VALUES (1, '2025-01-01', 1), (1, '2025-02-01', 1), (2, '2025-02-01', 0), (2, '2025-03-01', 1);
    INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Ben', 'Rome'), (3, 'Cem', 'Oslo'), (4, 'Dee', 'Bonn');
    INSERT INTO orders VALUES (1, 1, 12, 'A'), (2, 2, 29, 'B'), (3, 3, 31, 'C'), (4, 4, 55, 'D'), (5, 1, 74, 'E');
  `)
  database.close()
  engine = await sqliteKind.open('shop.db', { root, concurrency: 1, memoryBytes: 5e8 })
})

afterAll(async () => {
  await engine?.close()
  rmSync(root, { recursive: true, force: true })
})

function sqlCase(expectedSql: string): SqlCase {
  const location = { file: 'benchmarks/shop.yaml', line: 3, column: 5 }
  return {
    kind: 'sql',
    id: 'a',
    question: 'Q',
    expectedSql,
    tags: [],
    compare: {},
    location,
    sqlLocation: location,
  }
}

function comparer(more: Partial<CopyComparerOptions> = {}) {
  return createCopyComparer({
    count: 5,
    seed: 1,
    source: async () => undefined,
    loadParser: loadSqlParser,
    ...more,
  })
}

function score(expectedSql: string, sql: string, more: Partial<ScoreSqlInput> = {}): Promise<SqlScore> {
  return scoreSql({
    testCase: sqlCase(expectedSql),
    sql,
    agentDialect: 'sqlite',
    engine,
    limits,
    defaults: { policy: 'evidence', tolerance: 1e-4 },
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    copies: comparer(),
    ...more,
  })
}

/** An engine whose answers are the real one's and whose copies are these. */
function withCopies(copies: Opened | undefined, url = engine.url): Engine {
  return { ...engine, url, copies: copies && { ...copies, queryReordered: async () => undefined } }
}

type Opened = Pick<NonNullable<Engine['copies']>, 'open'>

describe('queries of different structure that mean the same', () => {
  it.each([
    [
      'avg and sum over count',
      'SELECT avg(amount) FROM orders',
      'SELECT sum(amount) * 1.0 / count(amount) FROM orders',
    ],
    [
      'a join and IN over a key',
      'SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer',
      'SELECT id FROM orders WHERE customer IN (SELECT id FROM customers)',
    ],
    [
      'a maximum and no greater one',
      'SELECT max(amount) FROM orders',
      'SELECT DISTINCT amount FROM orders o WHERE NOT EXISTS (SELECT 1 FROM orders x WHERE x.amount > o.amount)',
    ],
    [
      'CASE and a filter',
      "SELECT count(*) FROM customers WHERE city = 'Oslo'",
      "SELECT sum(CASE WHEN city = 'Oslo' THEN 1 ELSE 0 END) FROM customers",
    ],
    ['a flag', 'SELECT count(*) FROM bills WHERE paid = 1', 'SELECT sum(paid) FROM bills'],
    ['a flag that is not 0', 'SELECT month FROM bills WHERE paid = 1', 'SELECT month FROM bills WHERE paid'],
    [
      'a month and its first day',
      "SELECT count(*) FROM bills WHERE month = '2025-02-01'",
      "SELECT count(*) FROM bills WHERE month BETWEEN '2025-02-01' AND '2025-02-28'",
    ],
  ])('pass: %s', async (_name, expected, generated) => {
    const found = await score(expected, generated)
    expect([found.verdict, found.reason]).toEqual([
      'pass',
      expect.stringMatching(/^equal (structure|results, also on 5 fuzzed copies)/),
    ])
  })
})

describe('queries that only this database cannot distinguish', () => {
  it.each([
    [
      'how often there is one',
      'SELECT customer FROM bills GROUP BY 1 HAVING count(*) = 2',
      'SELECT customer FROM bills GROUP BY 1 HAVING count(*) >= 2',
    ],
    ['a sign', 'SELECT sum(amount) FROM orders WHERE amount > 0', 'SELECT sum(amount) FROM orders'],
    ['an absolute value', 'SELECT sum(abs(amount)) FROM orders', 'SELECT sum(amount) FROM orders'],
    [
      'groups that come to nothing',
      'SELECT customer FROM orders GROUP BY customer HAVING sum(amount) > 0',
      'SELECT DISTINCT customer FROM orders',
    ],
    [
      'spaces',
      "SELECT id FROM customers WHERE city = 'Oslo'",
      "SELECT id FROM customers WHERE trim(city) = 'Oslo'",
    ],
    [
      'the letter case',
      "SELECT id FROM customers WHERE name LIKE '%Ann'",
      "SELECT id FROM customers WHERE name GLOB '*Ann'",
    ],
    [
      'a word in the middle',
      "SELECT id FROM customers WHERE name LIKE '%Ann%'",
      "SELECT id FROM customers WHERE name LIKE 'Ann%'",
    ],
    [
      'a value in JSON',
      "SELECT id FROM parcels WHERE tags ->> '$.size' IN ('S', 'XL')",
      "SELECT id FROM parcels WHERE tags ->> '$.size' IN ('S', 'XXL')",
    ],
    [
      'a bound deep in JSON',
      "SELECT id FROM parcels WHERE json_extract(tags, '$.cool.from') >= 8",
      "SELECT id FROM parcels WHERE json_extract(tags, '$.cool.from') > 8",
    ],
    [
      'rows that are alike, of those that meet conditions',
      "SELECT DISTINCT customer FROM orders WHERE coupon = 'Q' AND amount > 9000",
      "SELECT customer FROM orders WHERE coupon = 'Q' AND amount > 9000",
    ],
    ['a bound', 'SELECT id FROM orders WHERE amount > 30', 'SELECT id FROM orders WHERE amount >= 30'],
    ['DISTINCT', 'SELECT name FROM customers', 'SELECT DISTINCT name FROM customers'],
    [
      'a join kind',
      'SELECT c.name, o.amount FROM customers c LEFT JOIN orders o ON o.customer = c.id',
      'SELECT c.name, o.amount FROM customers c JOIN orders o ON o.customer = c.id',
    ],
    ['NULLs in a filter', 'SELECT count(*) FROM orders', "SELECT count(*) FROM orders WHERE coupon <> 'Z'"],
    [
      'a grouping by name instead of key',
      'SELECT c.name, sum(o.amount) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.id, c.name',
      'SELECT c.name, sum(o.amount) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.name',
    ],
    [
      'ties at the top',
      'SELECT name FROM customers WHERE id IN (SELECT customer FROM orders WHERE amount = (SELECT max(amount) FROM orders))',
      'SELECT c.name FROM customers c JOIN orders o ON o.customer = c.id ORDER BY o.amount DESC LIMIT 1',
    ],
    [
      'NOT IN with NULLs',
      "SELECT count(*) FROM customers WHERE city IS NULL OR city <> 'Rome'",
      "SELECT count(*) FROM customers WHERE city <> 'Rome'",
    ],
    [
      'values that no row has',
      "SELECT city, count(*) FROM customers WHERE city IN ('Oslo', 'Lima') GROUP BY 1",
      "SELECT city, count(*) FROM customers WHERE city IN ('Oslo', 'Kiev') GROUP BY 1",
    ],
    [
      'a bound far from any value',
      'SELECT count(*) FROM orders WHERE amount < 4000000',
      'SELECT count(*) FROM orders WHERE amount < 7000000',
    ],
  ])('fail, with the copy and its rows: %s', async (_name, expected, generated) => {
    const found = await score(expected, generated)
    expect(found.verdict).toBe('fail')
    expect(found.reason).toMatch(
      /results match on the database, but not on fuzzed copy \d \(.+\): \d+ of \d+ rows differ/,
    )
    expect(found.results).toMatchObject({ kind: 'mismatch', copy: { seed: 1 } })
    const rows = found.results?.kind === 'mismatch' ? found.results.comparison.differences : []
    expect(rows.length).toBeGreaterThan(0)
  })

  it('are distinguished the same way every time', async () => {
    const ask = () => score('SELECT count(*) FROM orders', "SELECT count(*) FROM orders WHERE coupon <> 'Z'")
    expect(await ask()).toEqual(await ask())
  })
})

describe('a database with many tables', () => {
  it('is copied as far as the queries read it', async () => {
    const database = new Database(join(root, 'wide.db'))
    for (let at = 0; at < 60; at++) {
      database.exec(`CREATE TABLE t${at} (id INTEGER PRIMARY KEY, kind TEXT)`)
      database.exec(`INSERT INTO t${at} VALUES (1, 'a'), (2, 'b'), (3, 'a')`)
    }
    database.exec('CREATE VIEW v AS SELECT * FROM t7')
    database.close()
    const wide = await sqliteKind.open('wide.db', { root, concurrency: 1, memoryBytes: 5e8 })
    onTestFinished(() => wide.close())
    const asked: unknown[] = []
    const copies: Opened = {
      open(spec) {
        asked.push(spec.tables)
        if (wide.copies === undefined) throw new Error('no copies')
        return wide.copies.open(spec)
      },
    }
    const found = await score(
      "SELECT kind FROM v WHERE kind <> 'b'",
      "SELECT kind FROM T3 WHERE kind = 'a'",
      {
        engine: { ...withCopies(copies), query: wide.query, catalogue: wide.catalogue },
      },
    )
    expect(found.verdict).toBe('fail')
    expect(asked[0]).toEqual(['t3', 'v'])
  })
})

describe('an expected query with a nondeterministic result', () => {
  it('refutes no answer with other tied rows first', async () => {
    const top = (tie: string) => `SELECT id FROM orders ORDER BY amount DESC${tie} LIMIT 2`
    for (const tie of [', id', ', id DESC', ', coupon'])
      expect((await score(top(''), top(tie))).verdict).not.toBe('fail')
  })

  it('refutes no answer with another order of rows that tie in a hidden column', async () => {
    const found = await score(
      'SELECT name FROM customers ORDER BY city',
      'SELECT name FROM customers ORDER BY city, name',
    )
    expect(found.verdict).not.toBe('fail')
  })

  it('does not excuse another number of rows', async () => {
    const found = await score(
      'SELECT id FROM orders ORDER BY amount DESC LIMIT 1',
      'SELECT id FROM orders WHERE amount >= (SELECT max(amount) FROM orders)',
    )
    expect(found.verdict).toBe('fail')
  })

  it('is named where only a tie for the first place distinguishes the answers', async () => {
    const found = await score(
      'SELECT id FROM orders ORDER BY amount DESC LIMIT 1',
      'SELECT id FROM orders WHERE amount = (SELECT max(amount) FROM orders)',
    )
    expect(found.verdict).toBe('unproven')
    expect(found.reason).toContain('no two rows share the largest orders.amount')
  })
})

describe('keys and NOT NULL from the catalogue of the engine', () => {
  it('show that queries are equal, so that no copy is asked', async () => {
    const copies = { open: () => Promise.reject(new Error('not to be asked')) }
    const found = await score(
      'SELECT avg(amount) FROM orders',
      'SELECT sum(amount) * 1.0 / count(*) FROM orders',
      { engine: withCopies(copies) },
    )
    expect(found).toMatchObject({ verdict: 'pass', by: 'structure' })
  })
})

describe('without enough evidence', () => {
  const pair = ['SELECT sum(amount) FROM orders', 'SELECT sum(amount + 0) FROM orders'] as const

  it.each([0n, { kind: 'decimal', text: '0.00' }, '0.00', '-0.0'] as const)(
    'a match on copies whose sums are %s is unproven',
    async (zero) => {
      const result = { columns: [{ name: 's', type: '' }], rows: [[zero]], cut: null }
      const sums = { kind: 'rows', result, ms: 1 } as const
      const empty: FuzzedCopy = {
        withValues: async () => ({ ...empty, close: async () => undefined }),
        title: 'sums of nothing',
        query: async () => sums,
        queryReordered: async () => sums,
      }
      const found = await score(...pair, { engine: withCopies({ open: async () => empty }) })
      expect(found).toMatchObject({
        verdict: 'unproven',
        results: { kind: 'match', copies: { kind: 'weak', informative: 0 } },
      })
    },
  )

  it('a match on copies that are empty is unproven', async () => {
    const none = 'SELECT id FROM orders WHERE 1 = 0'
    const empty: FuzzedCopy = {
      withValues: async () => ({ ...empty, close: async () => undefined }),
      title: 'no rows',
      query: (_sql, caps) => engine.query(none, caps),
      queryReordered: (_sql, caps) => engine.query(none, caps),
    }
    const found = await score(...pair, { engine: withCopies({ open: async () => empty }) })
    expect(found).toMatchObject({
      verdict: 'unproven',
      results: { kind: 'match', copies: { kind: 'weak', informative: 0 } },
    })
    expect(found.reason).toMatch(/none of 5 fuzzed copies could tell the queries apart; --policy results/)
  })

  it('empty results here are unproven even where copies agree', async () => {
    const found = await score(
      'SELECT id FROM orders WHERE amount > 999',
      'SELECT id FROM orders WHERE amount + 0 > 999',
    )
    expect(found.verdict).toBe('unproven')
  })

  it('an engine without copies says how the case becomes green', async () => {
    const found = await score(...pair, { engine: withCopies(undefined, 'http:http://warehouse') })
    expect(found.verdict).toBe('unproven')
    expect(found.reason).toMatch(
      /no fuzzed copies can be made of http: databases: set scoring\.fuzz_source to a database that can be copied, or accept with --policy results$/,
    )
  })

  it('a copy that cannot be made is unproven, with the reason, and is tried again', async () => {
    const copies = {
      open: () => Promise.reject(new AutotestError('write_failed', 'the disk is full')),
    }
    const found = await score(...pair, { engine: withCopies(copies) })
    expect(found).toMatchObject({ verdict: 'unproven' })
    expect(found.reason).toMatch(/no fuzzed copies: the disk is full/)
  })

  it('0 copies leave it at the one database', async () => {
    const found = await score(...pair, { copies: comparer({ count: 0 }) })
    expect(found).toMatchObject({ verdict: 'unproven', results: { kind: 'match' } })
    expect(found.reason).toMatch(/results match on one database; --policy results would accept it$/)
  })

  it('a policy that does not ask for evidence makes none', async () => {
    const copies = { open: () => Promise.reject(new Error('not to be asked')) }
    const found = await score(...pair, {
      engine: withCopies(copies),
      defaults: { policy: 'results', tolerance: 1e-4 },
    })
    expect(found).toMatchObject({ verdict: 'pass', reason: 'equal results' })
  })
})

describe('another database as the source of copies', () => {
  it('serves an engine that makes none, in its own dialect', async () => {
    writeFileSync(
      join(root, 'small.sql'),
      "CREATE TABLE orders (id INTEGER, amount INTEGER, coupon VARCHAR); INSERT INTO orders VALUES (1, 5, 'x'), (2, 9, 'y'), (3, 9, 'z');",
    )
    const options = { root, fixture: 'small.sql', concurrency: 1, memoryBytes: 5e8 }
    const source = await duckdbKind.open('small.duckdb', options)
    onTestFinished(() => source.close())
    const more = {
      engine: withCopies(undefined, 'http:http://warehouse'),
      copies: comparer({ source: async () => source }),
    }
    const total = 'SELECT sum(amount) FROM orders'
    const found = await score(total, 'SELECT sum(amount + 0) FROM orders', more)
    expect(found).toMatchObject({ verdict: 'pass', by: 'results' })
    const missed = await score(
      'SELECT count(*) FROM orders',
      "SELECT count(*) FROM orders WHERE coupon <> 'q'",
      more,
    )
    expect(missed).toMatchObject({ verdict: 'fail', results: { copy: { seed: 1 } } })
  })
})

describe('an unusable source of copies', () => {
  const pair = ['SELECT sum(amount) FROM orders', 'SELECT sum(amount + 0) FROM orders'] as const
  const warehouse = () => withCopies(undefined, 'http:http://warehouse')

  it('is named where it lacks a table', async () => {
    writeFileSync(join(root, 'other.sql'), 'CREATE TABLE others (id INTEGER); INSERT INTO others VALUES (1);')
    const options = { root, fixture: 'other.sql', concurrency: 1, memoryBytes: 5e8 }
    const source = await sqliteKind.open('other.db', options)
    onTestFinished(() => source.close())
    const found = await score(...pair, {
      engine: warehouse(),
      copies: comparer({ source: async () => source }),
    })
    expect(found.verdict).toBe('unproven')
    expect(found.reason).toMatch(
      /no fuzzed copies of scoring\.fuzz_source: expected_sql fails on it: no such table: orders: correct it, or accept with --policy results$/,
    )
  })

  it('is named where its file is absent', async () => {
    const source = () => sqliteKind.open('absent.db', { root, concurrency: 1, memoryBytes: 5e8 })
    const found = await score(...pair, { engine: warehouse(), copies: comparer({ source }) })
    expect(found.verdict).toBe('unproven')
    expect(found.reason).toMatch(
      /no fuzzed copies of scoring\.fuzz_source: database not found: absent\.db: correct it/,
    )
  })
})

describe('a pair', () => {
  it('is run on copies once, however often it is scored', async () => {
    let opened = 0
    const copies: Opened = {
      open(spec) {
        opened++
        if (engine.copies === undefined) throw new Error('no copies')
        return engine.copies.open(spec)
      },
    }
    const shared = comparer()
    const ask = () =>
      score('SELECT sum(amount) FROM orders', 'SELECT sum(amount + 0) FROM orders', {
        engine: withCopies(copies),
        copies: shared,
      })
    await ask()
    const once = opened
    await Promise.all([ask(), ask()])
    expect([once, opened]).toEqual([5, 5])
  })
})
