import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'

type Engine = 'sqlite' | 'duckdb'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

/** The rows of a query, each cell as text, in any order. */
async function rowsOf(engine: Engine, setup: string, sql: string): Promise<readonly string[]> {
  if (engine === 'sqlite') {
    const database = new Database(':memory:')
    database.exec(setup)
    return (database.prepare(sql).raw(true).all() as unknown[][]).map((row) => row.join(' ')).sort()
  }
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(setup)
  const rows = (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(String).join(' '))
  connection.closeSync()
  return rows.sort()
}

function kindOf(engine: Engine, a: string, b: string, schema?: string): string {
  const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, engine) }
  return compareQueries(parser, a, b, engine, options).kind
}

const both = 'CREATE TABLE t (a INTEGER, b INTEGER);'
const rows = 'INSERT INTO t VALUES (1, 2), (1, 3), (2, 3);'
const alone = 'CREATE TABLE t (a INTEGER, c INTEGER);'

describe('the alias of an output and a column of one name', () => {
  const pairs: readonly [string, Engine, string, string][] = [
    [
      'GROUP BY means the column in SQLite',
      'sqlite',
      'SELECT a AS b, count(*) FROM t GROUP BY b',
      'SELECT a AS b, count(*) FROM t GROUP BY 1',
    ],
    [
      'GROUP BY means the column in DuckDB',
      'duckdb',
      'SELECT 1 AS b, count(*) FROM t GROUP BY b',
      'SELECT 1 AS b, count(*) FROM t GROUP BY 1',
    ],
    [
      'GROUP BY means the column beside another key',
      'duckdb',
      'SELECT a AS b, count(*) FROM t GROUP BY a, b',
      'SELECT a AS b, count(*) FROM t GROUP BY a',
    ],
    [
      'HAVING means the column',
      'sqlite',
      'SELECT a, count(*) * 10 AS b FROM t GROUP BY a HAVING b > 5',
      'SELECT a, count(*) * 10 AS b FROM t GROUP BY a HAVING count(*) * 10 > 5',
    ],
    [
      'an expression in ORDER BY means the column',
      'sqlite',
      'SELECT -b AS b FROM t ORDER BY b + 0 LIMIT 1',
      'SELECT -b AS b FROM t ORDER BY -b + 0 LIMIT 1',
    ],
    [
      'QUALIFY means the column',
      'duckdb',
      'SELECT a, row_number() OVER (ORDER BY a, t.b) AS b FROM t QUALIFY b = 1',
      'SELECT a, row_number() OVER (ORDER BY a, t.b) AS b FROM t QUALIFY row_number() OVER (ORDER BY a, t.b) = 1',
    ],
  ]
  it.each(pairs)('%s', async (_, engine, a, b) => {
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOf(engine, both + rows, sql)))
    expect(left).not.toEqual(right)
    expect(kindOf(engine, a, b, both)).toBe('different')
    // Nobody says whether there is such a column.
    expect(kindOf(engine, a, b)).not.toBe('equal')
  })

  it('is the alias where the table has no such column', async () => {
    const [a, b] = ['SELECT a AS b, count(*) FROM t GROUP BY b', 'SELECT a AS b, count(*) FROM t GROUP BY 1']
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOf('sqlite', alone + rows, sql)))
    expect(left).toEqual(right)
    expect(kindOf('sqlite', a, b, alone)).toBe('equal')
    const finding = compareQueries(parser, a, b, 'sqlite')
    expect(finding).toMatchObject({
      kind: 'equal_if',
      assumptions: ['no table in the queries has a column named b, so it is the alias'],
    })
  })

  it('needs no assumption where both queries name it alike, or the column would be refused', () => {
    const named = 'SELECT a AS b, count(*) FROM t GROUP BY b'
    expect(kindOf('sqlite', named, 'SELECT count(*), a AS b FROM t AS u GROUP BY b')).toBe('equal')
    expect(kindOf('duckdb', named, 'SELECT a AS b, count(*) FROM t GROUP BY 1')).toBe('equal')
    expect(
      kindOf(
        'duckdb',
        'SELECT sum(a) AS a FROM t HAVING a > 3',
        'SELECT sum(t.a) AS a FROM t HAVING sum(t.a) > 3',
      ),
    ).toBe('equal')
  })

  it('is a column where the other query reads one', () => {
    const a = 'SELECT a AS b, count(*) FROM t GROUP BY b'
    expect(kindOf('sqlite', a, 'SELECT a AS b, count(*) FROM t GROUP BY t.b')).toBe('equal')
    expect(kindOf('sqlite', a, 'SELECT a AS b, count(*) FROM t WHERE t.b IS NOT NULL GROUP BY 1')).toBe(
      'different',
    )
  })
})

describe('functions with another value at each call', () => {
  const range =
    'CREATE TABLE t AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 4000) SELECT a FROM n;'
  const share = 'random() / 18446744073709551616.0 + 0.5'
  /** Two queries and whether the first counts certainly more rows. */
  const pairs: readonly [string, string, string][] = [
    [
      'two alternatives',
      `SELECT count(*) FROM t WHERE ${share} < 0.5 OR ${share} < 0.5`,
      `SELECT count(*) FROM t WHERE ${share} < 0.5`,
    ],
    [
      'one condition',
      `SELECT count(*) FROM t WHERE ${share} < 0.5`,
      `SELECT count(*) FROM t WHERE ${share} < 0.5 AND ${share} < 0.5`,
    ],
    [
      'a value asked for several',
      `SELECT count(*) FROM t WHERE random() % 2 IN (0, 1, -1)`,
      `SELECT count(*) FROM t WHERE random() % 2 = 0 OR random() % 2 = 1 OR random() % 2 = -1`,
    ],
    [
      'a condition drawn out of two alternatives',
      `SELECT count(*) FROM t WHERE (${share} < 0.5 AND a % 2 = 0) OR (${share} < 0.5 AND a < 3000)`,
      `SELECT count(*) FROM t WHERE ${share} < 0.5 AND (a % 2 = 0 OR a < 3000)`,
    ],
  ]
  it.each(pairs)('%s', async (_, more, fewer) => {
    const [left, right] = await Promise.all([more, fewer].map((sql) => rowsOf('sqlite', range, sql)))
    expect(Number(left?.[0])).toBeGreaterThan(Number(right?.[0]))
    expect(kindOf('sqlite', more, fewer)).toBe('different')
  })

  it.each([
    ['BETWEEN', `${share} BETWEEN 0.2 AND 0.5`, `0.2 <= ${share} AND ${share} <= 0.5`],
    [
      'CASE',
      'CASE random() WHEN 1 THEN a WHEN 2 THEN 0 END',
      'CASE WHEN random() = 1 THEN a WHEN random() = 2 THEN 0 END',
    ],
    ['unknown functions', 'draw() < 5 OR draw() < 5', 'draw() < 5'],
    ['unknown functions of values', 'draw(a) < 5 OR draw(a) < 5', 'draw(a) < 5'],
  ])('%s are not read as one call', (_, a, b) => {
    expect(kindOf('sqlite', `SELECT a FROM t WHERE ${a}`, `SELECT a FROM t WHERE ${b}`)).toBe('different')
    expect(kindOf('sqlite', `SELECT a FROM t WHERE ${a}`, `SELECT t.a FROM t WHERE ${a}`)).toBe('equal')
  })

  it('are drawn once for all readings of a CTE', async () => {
    const shared =
      'WITH c AS MATERIALIZED (SELECT random() AS r) SELECT count(*) FROM c AS x JOIN c AS y ON x.r = y.r'
    const twice =
      'SELECT count(*) FROM (SELECT random() AS r) AS x JOIN (SELECT random() AS r) AS y ON x.r = y.r'
    expect(await rowsOf('sqlite', '', shared)).toEqual(['1'])
    expect(await rowsOf('sqlite', '', twice)).toEqual(['0'])
    expect(kindOf('sqlite', shared, twice)).toBe('different')
    expect(kindOf('sqlite', shared, shared.toLowerCase())).toBe('equal')
  })

  it('are not moved past a join or left out', () => {
    const drawn = 'SELECT q.a FROM (SELECT a FROM t WHERE random() < 5) AS q JOIN t AS u ON u.a > q.a'
    const moved = 'SELECT q.a FROM t AS q JOIN t AS u ON u.a > q.a WHERE random() < 5'
    expect(kindOf('sqlite', drawn, moved)).toBe('different')
  })
})

describe('what the parser reads as something else', () => {
  const pairs: readonly [string, Engine, string, string, string][] = [
    [
      'unary plus, which takes the type of the column away',
      'sqlite',
      'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2)',
      "SELECT a FROM t WHERE +a = '1'",
      "SELECT a FROM t WHERE a = '1'",
    ],
    [
      'unary plus on another column',
      'sqlite',
      'CREATE TABLE t (a INTEGER, b INTEGER); INSERT INTO t VALUES (1, 2)',
      "SELECT a FROM t WHERE +a = '1' OR b = '2'",
      "SELECT a FROM t WHERE a = '9' OR +b = '2'",
    ],
    [
      'integers and blobs in hexadecimal',
      'sqlite',
      "CREATE TABLE t (a, b); INSERT INTO t VALUES (65, x'41')",
      "SELECT 1 FROM t WHERE a = 0x41 AND b = x'41'",
      "SELECT 1 FROM t WHERE a = x'41' AND b = 0x41",
    ],
    [
      'a set operation after a subquery in HAVING',
      'duckdb',
      'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (1), (2)',
      'SELECT a FROM t GROUP BY a HAVING count(*) > (SELECT 1) UNION ALL SELECT 7',
      'SELECT a FROM t GROUP BY a HAVING count(*) > (SELECT 1 UNION ALL SELECT 7 WHERE false)',
    ],
    [
      'a set operation after a subquery in FROM',
      'sqlite',
      'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (1)',
      'SELECT count(*) FROM (SELECT a FROM t) UNION SELECT a FROM t',
      'SELECT count(*) FROM (SELECT a FROM t UNION SELECT a FROM t)',
    ],
    [
      'a set operation after a subquery in the SELECT list',
      'sqlite',
      '',
      'SELECT 1, (SELECT 2) UNION SELECT 3, 4',
      'SELECT 1, 2',
    ],
  ]
  it.each(pairs)('%s', async (_, engine, setup, a, b) => {
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOf(engine, setup, sql)))
    expect(left).not.toEqual(right)
    expect(kindOf(engine, a, b)).toBe('different')
  })

  it('is read as it is meant', async () => {
    const a = 'SELECT a FROM t WHERE a > (SELECT min(a) FROM t) UNION ALL SELECT 7 UNION SELECT 1 ORDER BY 1'
    const b =
      'SELECT a FROM t WHERE (a > (SELECT min(a) FROM t)) UNION ALL SELECT 7 UNION SELECT 1 ORDER BY 1'
    const setup = 'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (3), (3)'
    expect(await rowsOf('sqlite', setup, a)).toEqual(['1', '3', '7'])
    expect(kindOf('sqlite', a, b)).toBe('equal')
    const from = 'SELECT count(*) FROM (SELECT a FROM t) UNION SELECT 1'
    expect(kindOf('sqlite', from, 'SELECT count(*) FROM (SELECT a FROM t) AS q UNION SELECT 1')).toBe('equal')
    expect(kindOf('sqlite', 'SELECT a + +1 FROM t', 'SELECT a + 1 FROM t')).toBe('equal')
  })
})

describe('primary keys', () => {
  const setup = 'CREATE TABLE t (id TEXT PRIMARY KEY, a INTEGER);'

  // SQLite lets a NULL into such a key: a fault of the data, which a declared key is taken to rule out.
  it.each([
    ['SELECT count(id) FROM t', 'SELECT count(*) FROM t'],
    ['SELECT DISTINCT id FROM t', 'SELECT id FROM t'],
  ])('are believed, and nothing else is: %s, %s', (a, b) => {
    for (const dialect of ['sqlite', 'duckdb'] as const) {
      expect(kindOf(dialect, a, b, setup)).toBe('equal')
      expect(kindOf(dialect, a, b, setup.replace(' PRIMARY KEY', ''))).not.toBe('equal')
    }
  })
})

describe('letters and spellings', () => {
  const pairs: readonly [string, string, string, string][] = [
    ['ſ in the other case', "SELECT 'ſ' AS x", 'SELECT lower(upper(x)) FROM t', 'SELECT lower(x) FROM t'],
    ['İ in the other case', "SELECT 'İ' AS x", 'SELECT upper(lower(x)) FROM t', 'SELECT upper(x) FROM t'],
    [
      'ı in capitals',
      "SELECT 'ı' AS x",
      "SELECT x FROM t WHERE upper(x) LIKE 'I%'",
      "SELECT x FROM t WHERE lower(x) LIKE 'i%'",
    ],
    [
      'one day in two spellings',
      "SELECT DATE '2025-01-05' AS x",
      "SELECT x FROM t WHERE x = DATE '2025-1-5' AND x = DATE '2025-01-05'",
      'SELECT x FROM t WHERE FALSE',
    ],
    [
      'a number that is taken for true',
      'SELECT 5 AS x',
      'SELECT CAST(TRUE AND x AS TEXT) FROM t',
      'SELECT CAST(x AS TEXT) FROM t',
    ],
  ]
  it.each(pairs)('%s', async (_, table, a, b) => {
    const setup = `CREATE TABLE t AS ${table}`
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOf('duckdb', setup, sql)))
    expect(left).not.toEqual(right)
    expect(kindOf('duckdb', a, b)).toBe('different')
  })

  const kind = (dialect: Dialect, a: string, b: string) => compareQueries(parser, a, b, dialect).kind

  it('of texts that a column of days takes for one day', () => {
    const a = "SELECT x FROM t WHERE x = 'Jan 5, 2025' AND x = 'January 5, 2025'"
    expect(kind('postgres', a, 'SELECT x FROM t WHERE FALSE')).toBe('different')
    const words = "SELECT x FROM t WHERE x = 'paid' AND x = 'open'"
    expect(kind('postgres', words, 'SELECT x FROM t WHERE FALSE')).toBe('equal')
    const moved = "SELECT x FROM t WHERE x > DATE '2025-2-30' - INTERVAL '1' DAY"
    expect(kind('postgres', moved, moved.toLowerCase())).toBe('equal')
  })

  it('of LIKE in MySQL, where the collation says whether case matters', () => {
    const plain = "SELECT x FROM t WHERE x LIKE 'a%'"
    expect(kind('mysql', plain, "SELECT x FROM t WHERE lower(x) LIKE 'a%'")).toBe('different')
    expect(kind('mysql', plain, "SELECT x FROM t WHERE x LIKE 'A%'")).toBe('different')
    expect(kind('sqlite', plain, "SELECT x FROM t WHERE upper(x) LIKE 'A%'")).toBe('equal')
    expect(
      kind('postgres', "SELECT x FROM t WHERE x ILIKE 'A%'", "SELECT x FROM t WHERE lower(x) LIKE 'a%'"),
    ).toBe('equal')
  })

  it('of TRUE AND a condition, where numbers are no truth values', () => {
    expect(kind('ansi', 'SELECT TRUE AND t.a FROM t', 'SELECT t.a FROM t')).toBe('equal')
    expect(kind('ansi', 'SELECT FALSE OR t.a FROM t', 'SELECT t.a FROM t')).toBe('equal')
    expect(kind('sqlite', 'SELECT TRUE AND t.a FROM t', 'SELECT t.a FROM t')).toBe('different')
  })
})
