import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'
import { type Engine, rowsOfScript } from './in-memory-databases.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

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
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOfScript(engine, both + rows, sql)))
    expect(left).not.toEqual(right)
    expect(kindOf(engine, a, b, both)).toBe('different')
    // Nobody says whether there is such a column.
    expect(kindOf(engine, a, b)).not.toBe('equal')
  })

  it('is the alias where the table has no such column', async () => {
    const [a, b] = ['SELECT a AS b, count(*) FROM t GROUP BY b', 'SELECT a AS b, count(*) FROM t GROUP BY 1']
    const [left, right] = await Promise.all([a, b].map((sql) => rowsOfScript('sqlite', alone + rows, sql)))
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
