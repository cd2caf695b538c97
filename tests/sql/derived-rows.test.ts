import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { type Database, Sqlite } from '../../src/platform/sqlite.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../src/sql/tables/load-schema.js'

const ddl = `CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
  CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER, day TEXT, amount INTEGER NOT NULL)`

let parser: SqlParser
let schema: Schema
let database: Database
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'sqlite')
  database = new Sqlite(':memory:')
  database.exec(`${ddl};
    INSERT INTO shop VALUES (1, 'a', 'Oslo'), (2, 'b', NULL), (3, 'b', 'Oslo'), (4, 'c', 'Rome'),
      (5, 'a', 'Oslo');
    INSERT INTO sale VALUES (1, 1, 'mon', 5), (2, 1, 'tue', 7), (3, 2, 'mon', 5), (4, NULL, NULL, 9),
      (5, 3, 'tue', 2), (6, 3, 'tue', 2)`)
})

function rowsOf(sql: string): unknown[] {
  const rows = database.prepare(sql).raw(true).all() as unknown[][]
  return rows.map((row) => JSON.stringify(row.map(String).sort())).sort()
}

const both = (a: string, b: string): string => `(SELECT ${a} FROM shop UNION ALL SELECT ${b} FROM sale)`

/** Rule, two queries that are equal by it, and one that is not: its rows differ. */
const rules: readonly [string, string, string, string][] = [
  [
    'UNION of rows that cannot be the same is UNION ALL of distinct rows',
    "SELECT 'shop', city FROM shop UNION SELECT 'sale', day FROM sale",
    "SELECT DISTINCT 'shop', city FROM shop UNION ALL SELECT DISTINCT 'sale', day FROM sale",
    "SELECT 'shop', city FROM shop UNION ALL SELECT 'sale', day FROM sale",
  ],
  [
    'the order of columns in a union that names them',
    `SELECT n FROM (SELECT name AS n, id AS i FROM shop UNION ALL SELECT day, amount FROM sale) u WHERE i > 2`,
    `SELECT n FROM (SELECT id AS i, name AS n FROM shop UNION ALL SELECT amount, day FROM sale) u WHERE i > 2`,
    `SELECT n FROM (SELECT id AS i, name AS n FROM shop UNION ALL SELECT id, day FROM sale) u WHERE i > 2`,
  ],
  [
    'operands without rows',
    'SELECT id FROM shop UNION ALL SELECT id FROM sale WHERE FALSE',
    'SELECT id FROM shop',
    'SELECT id FROM shop UNION ALL SELECT id FROM sale WHERE TRUE',
  ],
  [
    'membership in nothing',
    'SELECT id FROM shop WHERE id NOT IN (SELECT id FROM sale WHERE 1 = 2)',
    'SELECT id FROM shop',
    'SELECT id FROM shop WHERE id IN (SELECT id FROM sale WHERE 1 = 2)',
  ],
  [
    'LIMIT 0',
    'SELECT name FROM shop ORDER BY id LIMIT 0',
    'SELECT name FROM shop WHERE FALSE',
    'SELECT name FROM shop LIMIT 1',
  ],
  [
    'an aggregate of no rows is a row',
    'SELECT count(*) FROM shop WHERE FALSE AND id = 1',
    'SELECT count(*) FROM shop WHERE FALSE',
    'SELECT count(*) FROM shop LIMIT 0',
  ],
  [
    'sums of sums over parts',
    `SELECT n, sum(s) FROM (SELECT day AS n, sum(id) AS s FROM sale GROUP BY day
      UNION ALL SELECT day, sum(amount) FROM sale GROUP BY day) u GROUP BY n`,
    `SELECT n, sum(s) FROM (SELECT day AS n, id AS s FROM sale UNION ALL SELECT day, amount FROM sale) u GROUP BY n`,
    `SELECT n, max(s) FROM (SELECT day AS n, sum(id) AS s FROM sale GROUP BY day
      UNION ALL SELECT day, sum(amount) FROM sale GROUP BY day) u GROUP BY n`,
  ],
  [
    'sums of counts of finer groups',
    'SELECT city, sum(n) FROM (SELECT city, name, count(*) AS n FROM shop GROUP BY city, name) x GROUP BY city',
    'SELECT city, count(*) FROM shop GROUP BY city',
    'SELECT city, count(n) FROM (SELECT city, name, count(*) AS n FROM shop GROUP BY city, name) x GROUP BY city',
  ],
  [
    'counts of distinct rows',
    'SELECT shop_id, count(day) FROM (SELECT DISTINCT shop_id, day FROM sale) x GROUP BY shop_id',
    'SELECT shop_id, count(DISTINCT day) FROM sale GROUP BY shop_id',
    'SELECT shop_id, count(day) FROM sale GROUP BY shop_id',
  ],
  [
    'sums over distinct rows',
    'SELECT sum(amount), count(*) FROM (SELECT DISTINCT amount FROM sale) x',
    'SELECT sum(DISTINCT amount), count(DISTINCT amount) FROM sale',
    'SELECT sum(amount), count(*) FROM (SELECT DISTINCT amount, id FROM sale) x',
  ],
  [
    'DISTINCT that nobody sees',
    'SELECT DISTINCT city FROM (SELECT DISTINCT name, city FROM shop) x',
    'SELECT DISTINCT city FROM shop',
    'SELECT city FROM (SELECT DISTINCT name, city FROM shop) x',
  ],
  [
    'DISTINCT of all that is listed',
    "SELECT city, name FROM (SELECT DISTINCT name, city FROM shop) x WHERE city = 'Oslo'",
    "SELECT DISTINCT city, name FROM shop WHERE city = 'Oslo'",
    "SELECT city FROM (SELECT DISTINCT name, city FROM shop) x WHERE city = 'Oslo'",
  ],
  [
    'one row joined is a scalar subquery',
    'SELECT id FROM sale, (SELECT avg(amount) AS a FROM sale) x WHERE amount > x.a',
    'SELECT id FROM sale WHERE amount > (SELECT avg(amount) FROM sale)',
    'SELECT id FROM sale WHERE amount > (SELECT max(amount) FROM sale)',
  ],
  [
    'a condition on one row of aggregates',
    'SELECT n + 1 FROM (SELECT count(*) AS n FROM sale) x WHERE n > 7',
    'SELECT count(*) + 1 FROM sale HAVING count(*) > 7',
    'SELECT count(*) + 1 FROM sale HAVING count(*) > 5',
  ],
  [
    'a left join that is only asked whether it matched',
    `SELECT shop.id FROM shop LEFT JOIN (SELECT DISTINCT shop_id FROM sale) s ON s.shop_id = shop.id
      WHERE s.shop_id IS NOT NULL OR city = 'Rome'`,
    "SELECT id FROM shop WHERE EXISTS (SELECT 1 FROM sale WHERE shop_id = shop.id) OR city = 'Rome'",
    `SELECT shop.id FROM shop LEFT JOIN sale s ON s.shop_id = shop.id WHERE s.shop_id IS NOT NULL OR city = 'Rome'`,
  ],
  [
    'constant grouping keys',
    'SELECT max(amount) FROM sale GROUP BY 4 + 1, 7 + 1',
    'SELECT max(amount) FROM sale GROUP BY 2 + 3',
    'SELECT max(amount) FROM sale GROUP BY amount',
  ],
]

describe('rules about derived rows', () => {
  it.each(rules)('%s', (_, query, equal, other) => {
    const finding = (a: string, b: string) => compareQueries(parser, a, b, 'sqlite', { schema })
    expect(finding(query, equal)).toEqual({ kind: 'equal' })
    expect(finding(equal, query)).toEqual({ kind: 'equal' })
    expect(finding(query, other).kind).toBe('different')
    expect(rowsOf(query)).toEqual(rowsOf(equal))
    expect(rowsOf(query)).not.toEqual(rowsOf(other))
  })

  it('keep an empty sum of counts apart from a count', () => {
    const partial = 'SELECT sum(n) FROM (SELECT city, count(*) AS n FROM shop GROUP BY city) x'
    const finding = compareQueries(parser, partial, 'SELECT count(*) FROM shop', 'sqlite', { schema })
    expect(finding.kind).toBe('different')
  })

  it('keep the columns of a union apart where its operands differ in their order alone', () => {
    const [a, b] = [both('id, name', 'id, day'), both('name, id', 'day, id')]
    const kind = (one: string, other: string) => compareQueries(parser, one, other, 'sqlite', { schema }).kind
    expect(kind(`SELECT * FROM ${a}`, `SELECT * FROM ${b}`)).toBe('equal')
    const swapped = 'SELECT a FROM (SELECT a, b FROM t UNION ALL SELECT b, a FROM t) x'
    const straight = 'SELECT a FROM (SELECT a, b FROM t UNION ALL SELECT a, b FROM t) x'
    expect(compareQueries(parser, swapped, straight, 'sqlite').kind).toBe('different')
  })

  it('keep what a star stands for where columns are merged', () => {
    const merged = 'SELECT * FROM (SELECT a FROM t) x JOIN u USING (a)'
    expect(compareQueries(parser, merged, 'SELECT * FROM t JOIN u USING (a)', 'postgres')).toMatchObject({
      kind: 'equal_if',
      assumptions: ['t has the column a and no others'],
    })
  })
})

describe('rules about what SQLite does not have', () => {
  it.each<[string, string, string, string, Dialect]>([
    [
      'grouping sets',
      'SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())',
      `SELECT a, b, sum(c) FROM t GROUP BY a, b UNION ALL SELECT a, NULL, sum(c) FROM t GROUP BY a
        UNION ALL SELECT NULL, NULL, sum(c) FROM t`,
      'SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((a, b), (b), ())',
      'postgres',
    ],
    [
      'ROLLUP',
      'SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)',
      'SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((), (a), (a, b))',
      'SELECT a, b, sum(c) FROM t GROUP BY CUBE (a, b)',
      'trino',
    ],
    [
      'WITH ROLLUP',
      'SELECT a, b, sum(c) FROM t GROUP BY a, b WITH ROLLUP',
      'SELECT a, b, sum(c) FROM t GROUP BY a, b WITH ROLLUP HAVING 1 = 1',
      'SELECT a, b, sum(c) FROM t GROUP BY b, a WITH ROLLUP',
      'mysql',
    ],
    [
      'GROUPING()',
      'SELECT a, grouping(a), sum(c) FROM t GROUP BY ROLLUP (a)',
      'SELECT a, 0, sum(c) FROM t GROUP BY a UNION ALL SELECT NULL, 1, sum(c) FROM t',
      'SELECT a, 1, sum(c) FROM t GROUP BY a UNION ALL SELECT NULL, 0, sum(c) FROM t',
      'duckdb',
    ],
    [
      'two names of one column as grouping keys',
      `SELECT x, y, sum(c) FROM (SELECT a AS x, a AS y, c FROM t) d GROUP BY GROUPING SETS ((x), (y))`,
      `SELECT a, NULL, sum(c) FROM t GROUP BY a UNION ALL SELECT NULL, a, sum(c) FROM t GROUP BY a`,
      'SELECT a, a, sum(c) FROM t GROUP BY GROUPING SETS ((a), (a))',
      'postgres',
    ],
    [
      'LATERAL',
      'SELECT t.a, u.b FROM t, LATERAL (SELECT b FROM s WHERE s.a = t.a) u',
      'SELECT t.a, s.b FROM t JOIN s ON s.a = t.a',
      'SELECT t.a, u.b FROM t, LATERAL (SELECT b FROM s WHERE s.a = t.a LIMIT 1) u',
      'postgres',
    ],
    [
      'a derived table of all columns',
      'SELECT * FROM (SELECT * FROM t WHERE a > 1) x JOIN s ON s.a = x.a',
      'SELECT * FROM t JOIN s ON s.a = t.a WHERE t.a > 1',
      'SELECT * FROM (SELECT * FROM t WHERE a > 2) x JOIN s ON s.a = x.a',
      'postgres',
    ],
  ])('%s', (_, a, b, other, dialect) => {
    expect(compareQueries(parser, a, b, dialect)).toEqual({ kind: 'equal' })
    expect(compareQueries(parser, a, other, dialect).kind).toBe('different')
  })
})
