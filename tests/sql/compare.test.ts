import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { canonicalForm } from '../../src/sql/canonical-form.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kind(a: string, b: string, dialect: Dialect = 'trino'): string {
  const there = compareQueries(parser, a, b, dialect)
  const back = compareQueries(parser, b, a, dialect)
  expect(back.kind).toBe(there.kind)
  return there.kind
}

/** Rule, two queries that are equal by it, and a near miss of the first that is not. */
const rules: readonly [string, string, string, string][] = [
  [
    'formatting and case',
    'SELECT a FROM t WHERE b = 1',
    'select\n A from T where B=1 -- x',
    "SELECT a FROM t WHERE b = '1'",
  ],
  ['table aliases', 'SELECT x.a FROM t AS x', 'SELECT y.a FROM t y', 'SELECT x.a FROM u AS x'],
  ['output aliases', 'SELECT sum(a) AS s FROM t', 'SELECT sum(a) total FROM t', 'SELECT sum(b) AS s FROM t'],
  ['redundant qualifiers', 'SELECT t.a FROM s.t', 'SELECT s.t.a FROM s.t WHERE 1 = 1', 'SELECT t.a FROM r.t'],
  ['column order', 'SELECT a, b FROM t', 'SELECT b, a FROM t', 'SELECT a, a FROM t'],
  [
    'operand order',
    'SELECT a FROM t WHERE a = b AND c + d > 1',
    'SELECT a FROM t WHERE 1 < d + c AND b = a',
    'SELECT a FROM t WHERE a = b AND c - d > 1',
  ],
  [
    'comparisons either way',
    'SELECT a FROM t WHERE a < b',
    'SELECT a FROM t WHERE b > a',
    'SELECT a FROM t WHERE b < a',
  ],
  ['subtraction keeps its order', 'SELECT a - b FROM t', 'SELECT (a - b) FROM t', 'SELECT b - a FROM t'],
  ['parentheses bind', 'SELECT a - (b - c) FROM t', 'SELECT a - ((b - c)) FROM t', 'SELECT a - b - c FROM t'],
  ['unequal', 'SELECT a FROM t WHERE a <> 1', 'SELECT a FROM t WHERE a != 1', 'SELECT a FROM t WHERE a = 1'],
  [
    'between',
    'SELECT a FROM t WHERE a BETWEEN 1 AND 5',
    'SELECT a FROM t WHERE a >= 1 AND a <= 5',
    'SELECT a FROM t WHERE a >= 1 AND a < 5',
  ],
  [
    'in lists',
    'SELECT a FROM t WHERE a IN (1, 2)',
    'SELECT a FROM t WHERE a = 2 OR a = 1',
    'SELECT a FROM t WHERE a IN (1, 2, 3)',
  ],
  [
    'in with one item',
    "SELECT a FROM t WHERE a IN ('x')",
    "SELECT a FROM t WHERE a = 'x'",
    "SELECT a FROM t WHERE a IN ('X')",
  ],
  [
    'not in',
    'SELECT a FROM t WHERE a NOT IN (1, 2)',
    'SELECT a FROM t WHERE NOT (a = 1 OR a = 2)',
    'SELECT a FROM t WHERE a NOT IN (1, NULL)',
  ],
  [
    'negated equality',
    'SELECT a FROM t WHERE NOT (a = b)',
    'SELECT a FROM t WHERE a <> b',
    'SELECT a FROM t WHERE NOT (a IS NOT DISTINCT FROM b)',
  ],
  [
    'double negation',
    'SELECT a FROM t WHERE NOT NOT a = 1',
    'SELECT a FROM t WHERE a = 1',
    'SELECT a FROM t WHERE NOT a = 1',
  ],
  [
    'not null',
    'SELECT a FROM t WHERE a IS NOT NULL',
    'SELECT a FROM t WHERE NOT a IS NULL',
    'SELECT a FROM t WHERE a <> NULL',
  ],
  [
    'using',
    'SELECT t.a FROM t JOIN u USING (id)',
    'SELECT t.a FROM t JOIN u ON u.id = t.id',
    'SELECT t.a FROM t JOIN u ON u.id = t.pid',
  ],
  [
    'comma joins',
    'SELECT t.a FROM t JOIN u ON t.id = u.id WHERE u.b = 1',
    'SELECT t.a FROM u, t WHERE u.b = 1 AND t.id = u.id',
    'SELECT t.a FROM u, t WHERE u.b = 1',
  ],
  [
    'inner is the default',
    'SELECT t.a FROM t INNER JOIN u ON t.id = u.id',
    'SELECT t.a FROM t JOIN u ON t.id = u.id',
    'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id',
  ],
  [
    'right joins',
    'SELECT t.a FROM t RIGHT OUTER JOIN u ON t.id = u.id',
    'SELECT t.a FROM u LEFT JOIN t ON t.id = u.id',
    'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id',
  ],
  [
    'full joins',
    'SELECT t.a FROM t FULL JOIN u ON t.id = u.id',
    'SELECT t.a FROM u FULL OUTER JOIN t ON t.id = u.id',
    'SELECT t.a FROM u LEFT JOIN t ON t.id = u.id',
  ],
  [
    'left joins keep their ON',
    'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id AND u.b = 1',
    'SELECT t.a FROM t LEFT OUTER JOIN u ON u.b = 1 AND t.id = u.id',
    'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id WHERE u.b = 1',
  ],
  [
    'self-joins by role',
    'SELECT e.n FROM e JOIN e m ON e.mid = m.id WHERE m.s > 3',
    'SELECT b.n FROM e AS a JOIN e AS b ON b.mid = a.id WHERE a.s > 3',
    'SELECT e.n FROM e JOIN e m ON e.mid = m.id WHERE e.s > 3',
  ],
  [
    'positions',
    'SELECT a, count(*) FROM t GROUP BY 1 ORDER BY 2',
    'SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*)',
    'SELECT a, count(*) FROM t GROUP BY 1 ORDER BY 1',
  ],
  [
    'aliases as keys',
    'SELECT upper(a) AS u, count(*) c FROM t GROUP BY u ORDER BY c',
    'SELECT upper(a), count(*) FROM t GROUP BY upper(a) ORDER BY 2',
    'SELECT upper(a) AS u, count(*) c FROM t GROUP BY a ORDER BY c',
  ],
  [
    'a column wins over an alias',
    'SELECT upper(a) AS a FROM t GROUP BY a',
    'SELECT upper(a) FROM t GROUP BY t.a',
    'SELECT upper(a) AS a FROM t GROUP BY 1',
  ],
  [
    'group by is a set',
    'SELECT a, b FROM t GROUP BY a, b',
    'SELECT a, b FROM t GROUP BY b, a',
    'SELECT a, b FROM t GROUP BY a',
  ],
  ['count', 'SELECT count(*) FROM t', 'SELECT count(1) FROM t', 'SELECT count(a + 1) FROM t'],
  [
    'default direction',
    'SELECT a FROM t ORDER BY a',
    'SELECT a FROM t ORDER BY a ASC',
    'SELECT a FROM t ORDER BY a DESC',
  ],
  [
    'nulls last',
    'SELECT a FROM t ORDER BY a NULLS LAST',
    'SELECT a FROM t ORDER BY t.a ASC NULLS LAST',
    'SELECT a FROM t ORDER BY a NULLS FIRST',
  ],
  [
    'order of keys',
    'SELECT a FROM t ORDER BY a, b',
    'SELECT a FROM t ORDER BY 1, b',
    'SELECT a FROM t ORDER BY b, a',
  ],
  [
    'fetch first',
    'SELECT a FROM t LIMIT 5',
    'SELECT a FROM t FETCH FIRST 5 ROWS ONLY',
    'SELECT a FROM t FETCH FIRST 5 ROWS WITH TIES',
  ],
  [
    'no offset',
    'SELECT a FROM t LIMIT 2 OFFSET 0',
    'SELECT a FROM t LIMIT 2',
    'SELECT a FROM t LIMIT 2 OFFSET 1',
  ],
  [
    'no offset of a union',
    'SELECT a FROM t UNION SELECT b FROM t LIMIT 2 OFFSET 0',
    'SELECT a FROM t UNION SELECT b FROM t LIMIT 2',
    'SELECT a FROM t UNION SELECT b FROM t LIMIT 2 OFFSET 1',
  ],
  ['limit all', 'SELECT a FROM t LIMIT ALL', 'SELECT a FROM t', 'SELECT a FROM t LIMIT 1'],
  ['distinct', 'SELECT DISTINCT a FROM t', 'SELECT DISTINCT t.a FROM t', 'SELECT a FROM t'],
  [
    'having',
    'SELECT a FROM t GROUP BY a HAVING count(*) > 1',
    'SELECT a FROM t GROUP BY a HAVING 1 < count(1)',
    'SELECT a FROM t GROUP BY a HAVING count(*) > 2',
  ],
  [
    'CTEs',
    'WITH c AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT a FROM c WHERE s > 1',
    'SELECT d.a FROM (SELECT sum(b) AS x, a FROM t GROUP BY 2) AS d WHERE x > 1',
    'WITH c AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT a FROM c WHERE a > 1',
  ],
  [
    'CTEs by content',
    'WITH c AS (SELECT sum(a) AS p, sum(b) AS q FROM t) SELECT p FROM c',
    'WITH c AS (SELECT sum(b) AS q, sum(a) AS p FROM t) SELECT p FROM c',
    'WITH c AS (SELECT sum(b) AS p, sum(a) AS q FROM t) SELECT p FROM c',
  ],
  [
    'stars of CTEs',
    'WITH c AS (SELECT a AS p, b AS q FROM t LIMIT 3), d AS (SELECT * FROM c) SELECT p FROM d',
    'WITH c AS (SELECT a AS p, b AS q FROM t LIMIT 3) SELECT p FROM c AS d',
    'WITH c AS (SELECT b AS p, a AS q FROM t LIMIT 3), d AS (SELECT * FROM c) SELECT p FROM d',
  ],
  [
    'renamings',
    'SELECT x.p FROM (SELECT a AS p FROM t) x WHERE p > 1',
    'SELECT a FROM t WHERE a > 1',
    'SELECT x.p FROM (SELECT b AS p FROM t) x WHERE p > 1',
  ],
  [
    'date literals',
    "SELECT a FROM t WHERE d = DATE '2025-01-01'",
    "SELECT a FROM t WHERE d = CAST('2025-01-01' AS date)",
    "SELECT a FROM t WHERE d = '2025-01-01'",
  ],
  [
    'date functions',
    "SELECT year(d) FROM t WHERE d > date('2025-01-01')",
    "SELECT extract(YEAR FROM d) FROM t WHERE d > DATE '2025-01-01'",
    "SELECT month(d) FROM t WHERE d > date('2025-01-01')",
  ],
  [
    'date_trunc',
    "SELECT date_trunc('month', d) FROM t",
    "SELECT DATE_TRUNC('MONTH', d) FROM t",
    "SELECT date_trunc('year', d) FROM t",
  ],
  [
    'simple and searched CASE',
    "SELECT CASE a WHEN 1 THEN 'x' END FROM t",
    "SELECT CASE WHEN a = 1 THEN 'x' ELSE NULL END FROM t",
    "SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END FROM t",
  ],
  ['decimals', 'SELECT a * 1.50 FROM t', 'SELECT a * 1.5 FROM t', 'SELECT a * 1.51 FROM t'],
  ['integers are no decimals', 'SELECT a / 2 FROM t', 'SELECT a / 02 FROM t', 'SELECT a / 2.0 FROM t'],
  [
    'unions',
    'SELECT a FROM t UNION ALL SELECT b FROM u',
    '(SELECT b FROM u) UNION ALL (SELECT a FROM t)',
    'SELECT a FROM t UNION SELECT b FROM u',
  ],
  [
    'positions in unions',
    'SELECT a, b FROM t UNION SELECT c, d FROM u',
    'SELECT c, d FROM u UNION SELECT a, b FROM t',
    'SELECT a, b FROM t UNION SELECT d, c FROM u',
  ],
  [
    'except keeps its order',
    'SELECT a FROM t EXCEPT SELECT b FROM u',
    'SELECT a x FROM t EXCEPT SELECT b FROM u',
    'SELECT b FROM u EXCEPT SELECT a FROM t',
  ],
  [
    'intersect binds tighter',
    'SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT a FROM v',
    'SELECT a FROM t UNION (SELECT a FROM u INTERSECT SELECT a FROM v)',
    '(SELECT a FROM t UNION SELECT a FROM u) INTERSECT SELECT a FROM v',
  ],
  [
    'exists',
    'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)',
    'SELECT a FROM t x WHERE EXISTS (SELECT * FROM u y WHERE x.id = y.id)',
    'SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id)',
  ],
  [
    'correlation',
    'SELECT a FROM t WHERE b > (SELECT avg(b) FROM t u WHERE u.c = t.c)',
    'SELECT x.a FROM t x WHERE x.b > (SELECT avg(y.b) FROM t y WHERE x.c = y.c)',
    'SELECT a FROM t WHERE b > (SELECT avg(b) FROM t u WHERE u.c = u.c)',
  ],
  [
    'named windows',
    'SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY c)',
    'SELECT sum(a) OVER (PARTITION BY b ORDER BY c) FROM t',
    'SELECT sum(a) OVER (PARTITION BY b ORDER BY c DESC) FROM t',
  ],
]

describe('structural comparison', () => {
  it.each(rules)('%s', (_, query, equal, nearMiss) => {
    expect(canonicalForm(parser, query, 'trino')).toBe(canonicalForm(parser, equal, 'trino'))
    expect(kind(query, equal)).toBe('equal')
    expect(kind(query, nearMiss)).toBe('different')
  })

  it.each<[Dialect, string, string]>([
    ['sqlite', 'SELECT "a" FROM t WHERE a > 1', 'SELECT a FROM [t] WHERE `a` > 1'],
    ['snowflake', 'SELECT "A" FROM t', 'SELECT a FROM T'],
    ['bigquery', 'SELECT DATE_TRUNC(d, MONTH) FROM `p.s.t`', 'SELECT date_trunc(d, month) FROM p.s.t'],
    ['bigquery', 'SELECT a FROM t WHERE b = "x"', "SELECT a FROM t WHERE b = 'x'"],
    ['mysql', 'SELECT a FROM t LIMIT 2, 5', 'SELECT a FROM t LIMIT 5 OFFSET 2'],
    ['postgres', "SELECT date_part('year', d) FROM t", 'SELECT extract(year FROM d) FROM t'],
    ['duckdb', 'SELECT a::int FROM t WHERE NOT a < 3', 'SELECT CAST(a AS integer) FROM t WHERE a >= 3'],
  ])('%s: %s is %s', (dialect, a, b) => {
    expect(kind(a, b, dialect)).toBe('equal')
  })

  it.each<[Dialect, string, string]>([
    ['postgres', 'SELECT "A" FROM t', 'SELECT a FROM t'],
    ['snowflake', 'SELECT "a" FROM t', 'SELECT a FROM t'],
    ['mysql', 'SELECT length(a) FROM t', 'SELECT char_length(a) FROM t'],
    ['sqlite', "SELECT x'41' FROM t", 'SELECT 0x41 FROM t'],
    ['sqlite', "SELECT date('2025-01-01') FROM t", "SELECT CAST('2025-01-01' AS date) FROM t"],
    ['trino', 'SELECT a FROM t WHERE NOT a < 3', 'SELECT a FROM t WHERE a >= 3'],
    ['bigquery', 'SELECT upper(a) AS a FROM t GROUP BY a', 'SELECT upper(a) AS a FROM t GROUP BY t.a'],
    ['sqlite', 'SELECT a FROM t WHERE b = "X"', 'SELECT a FROM t WHERE b = "x"'],
    [
      'postgres',
      'SELECT t.a FROM t, u RIGHT JOIN v ON u.id = v.id',
      'SELECT t.a FROM t CROSS JOIN u RIGHT JOIN v ON u.id = v.id',
    ],
    ['postgres', 'SELECT x.* FROM t x JOIN u y USING (id)', 'SELECT * FROM t x JOIN u y USING (id)'],
    [
      'trino',
      'SELECT x FROM UNNEST(ARRAY[1]) AS t(x), UNNEST(ARRAY[2]) AS u(y)',
      'SELECT y FROM UNNEST(ARRAY[1]) AS t(x), UNNEST(ARRAY[2]) AS u(y)',
    ],
    [
      'bigquery',
      'SELECT x FROM UNNEST([1]) AS x, UNNEST([2]) AS y',
      'SELECT x FROM UNNEST([2]) AS x, UNNEST([1]) AS y',
    ],
  ])('%s: %s is not %s', (dialect, a, b) => {
    expect(kind(a, b, dialect)).toBe('different')
  })

  it('reads set operations from left to right in SQLite only', () => {
    const sql = 'SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT a FROM v'
    const intersectFirst = 'SELECT a FROM t UNION (SELECT a FROM u INTERSECT SELECT a FROM v)'
    const unionFirst = '(SELECT a FROM t UNION SELECT a FROM u) INTERSECT SELECT a FROM v'
    const form = (text: string, dialect: Dialect): string | undefined => canonicalForm(parser, text, dialect)
    expect(form(sql, 'postgres')).toBe(form(intersectFirst, 'postgres'))
    expect(form(sql, 'sqlite')).toBe(form(unionFirst, 'postgres'))
    expect(form(sql, 'sqlite')).not.toBe(form(sql, 'postgres'))
  })

  it('lets each query tell what columns the tables of the other have', () => {
    const qualified = 'SELECT c.region FROM country c JOIN language l ON c.code = l.code'
    const bare = 'SELECT region FROM language l JOIN country c ON c.code = l.code'
    const swapped = 'SELECT l.region FROM country c JOIN language l ON c.code = l.code'
    expect(kind(qualified, bare)).toBe('equal')
    expect(kind(qualified, swapped)).toBe('different')
    expect(canonicalForm(parser, qualified, 'trino')).not.toBe(canonicalForm(parser, bare, 'trino'))
  })

  it("says on what condition SQLite's double quotes make a text", () => {
    const finding = compareQueries(
      parser,
      'SELECT a FROM t WHERE b = "x"',
      "SELECT a FROM t WHERE b = 'x'",
      'sqlite',
    )
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: [expect.stringContaining('"x"')] })
    expect(kind('SELECT a, x FROM t WHERE b = "x"', "SELECT a, x FROM t WHERE b = 'x'", 'sqlite')).toBe(
      'different',
    )
  })

  it('says which side cannot be parsed', () => {
    expect(compareQueries(parser, 'SELECT FROM', 'SELECT 1', 'trino')).toMatchObject({
      kind: 'unparsable',
      side: 'expected',
    })
    expect(compareQueries(parser, 'SELECT 1', 'no idea', 'trino')).toMatchObject({
      kind: 'unparsable',
      side: 'generated',
    })
  })

  it('compares long chains', () => {
    const sum = (last: string): string => `SELECT ${'a + '.repeat(500)}${last} FROM t`
    expect(kind(sum('b'), sum('b'))).toBe('equal')
    expect(kind(sum('b'), sum('c'))).toBe('different')
  })
})
