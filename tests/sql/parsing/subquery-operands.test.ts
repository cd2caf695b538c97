import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { type Engine, rowsOfScript } from '../in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function kindOf(engine: Engine, a: string, b: string, schema?: string): string {
  const options = schema === undefined ? {} : { schema: parseSchema(parser, schema, engine) }
  return compareQueries(parser, a, b, engine, options).kind
}

describe('syntax that the parser reads as something else', () => {
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
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOfScript(engine, setup, sql)))
    expect(left).not.toEqual(right)
    expect(kindOf(engine, a, b)).toBe('different')
  })

  it('is read as it is meant', async () => {
    const a = 'SELECT a FROM t WHERE a > (SELECT min(a) FROM t) UNION ALL SELECT 7 UNION SELECT 1 ORDER BY 1'
    const b =
      'SELECT a FROM t WHERE (a > (SELECT min(a) FROM t)) UNION ALL SELECT 7 UNION SELECT 1 ORDER BY 1'
    const setup = 'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (3), (3)'
    expect(await rowsOfScript('sqlite', setup, a)).toEqual(['1', '3', '7'])
    expect(kindOf('sqlite', a, b)).toBe('equal')
    const from = 'SELECT count(*) FROM (SELECT a FROM t) UNION SELECT 1'
    expect(kindOf('sqlite', from, 'SELECT count(*) FROM (SELECT a FROM t) AS q UNION SELECT 1')).toBe('equal')
    expect(kindOf('sqlite', 'SELECT a + +1 FROM t', 'SELECT a + 1 FROM t')).toBe('equal')
  })
})
