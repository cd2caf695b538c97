import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { type Engine, rowsOf, runsOf } from '../in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, s TEXT, f BOOLEAN);'
const data: readonly string[] = [
  "INSERT INTO t VALUES (1, 1, 1, 'a', TRUE), (2, 1, 2, 'ba', FALSE), (3, NULL, 2, NULL, NULL), (4, 2, 2, 'b', TRUE);",
  '',
  'INSERT INTO t VALUES (1, NULL, NULL, NULL, NULL);',
]

describe('queries of different rows are not equal', () => {
  const pairs: readonly [string, Engine, string, string][] = [
    [
      'an operand of UNION ALL and what is known of another one',
      'duckdb',
      'SELECT k FROM (SELECT a AS k, 1 FROM t WHERE a > 1 UNION ALL SELECT NULL, count(*) FROM t) AS q WHERE k IS NOT NULL',
      'SELECT k FROM (SELECT a AS k, 1 FROM t WHERE a > 1 UNION ALL SELECT NULL, count(*) FROM t) AS q',
    ],
    [
      'a constant beside an aggregate of no rows',
      'sqlite',
      'SELECT a, sum(b) FROM t WHERE a = 1',
      'SELECT 1, sum(b) FROM t WHERE a = 1',
    ],
    [
      'a constant in HAVING without GROUP BY',
      'sqlite',
      'SELECT a, sum(b) FROM t WHERE a = 1 HAVING a = 1',
      'SELECT a, sum(b) FROM t WHERE a = 1',
    ],
    [
      'a plain column beside an aggregate of no rows',
      'sqlite',
      'SELECT q.a FROM (SELECT a, count(*) FROM t WHERE a > 1) AS q WHERE q.a IS NOT NULL',
      'SELECT q.a FROM (SELECT a, count(*) FROM t WHERE a > 1) AS q',
    ],
    [
      'the row that a maximum in ORDER BY chooses',
      'sqlite',
      'SELECT s, min(b) FROM t',
      'SELECT s, min(b) FROM t ORDER BY max(b)',
    ],
    [
      'an aggregate of the outer query',
      'sqlite',
      'SELECT t.id, (SELECT count(t.id) FROM t AS u) FROM t',
      'SELECT t.id, (SELECT count(*) FROM t AS u) FROM t',
    ],
    ['an empty list', 'sqlite', 'SELECT a IN () FROM t', 'SELECT a NOT IN () FROM t'],
    [
      'a pattern for the whole text',
      'duckdb',
      "SELECT id FROM t WHERE s ~ 'a'",
      "SELECT id FROM t WHERE regexp_matches(s, 'a')",
    ],
    [
      'what count_if() makes of no rows',
      'duckdb',
      'SELECT count_if(f) FROM t',
      'SELECT count(*) FILTER (WHERE f) FROM t',
    ],
  ]
  it.each(pairs)('%s', async (_, engine, a, b) => {
    const runs = await runsOf(engine, ddl, data)
    const [left, right] = [await rowsOf(runs, a), await rowsOf(runs, b)]
    expect(left).toBeDefined()
    expect(left).not.toBe(right)
    const schema = parseSchema(parser, ddl, engine)
    expect(compareQueries(parser, a, b, engine, { schema }).kind).toBe('different')
  })

  it.each([
    ['sqlite', 'SELECT max(b) FROM t WHERE a = 1 ORDER BY 1', 'SELECT max(b) FROM t WHERE 1 = a'],
    ['sqlite', 'SELECT sum(a) FROM t WHERE a = 1', 'SELECT sum(1) FROM t WHERE a = 1'],
    ['sqlite', 'SELECT a FROM t WHERE a IN ()', 'SELECT a FROM t WHERE FALSE'],
    ['duckdb', "SELECT id FROM t WHERE s ~ 'a'", "SELECT id FROM t WHERE regexp_full_match(s, 'a')"],
  ] as const)('queries of the same rows are equal: %s %s, %s', async (engine, a, b) => {
    const runs = await runsOf(engine, ddl, data)
    expect(await rowsOf(runs, a)).toBe(await rowsOf(runs, b))
    const schema = parseSchema(parser, ddl, engine)
    expect(compareQueries(parser, a, b, engine, { schema }).kind).toBe('equal')
  })
})
