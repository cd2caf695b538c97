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
    const [left, right] = await Promise.all([more, fewer].map((sql) => rowsOfScript('sqlite', range, sql)))
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
    expect(await rowsOfScript('sqlite', '', shared)).toEqual(['1'])
    expect(await rowsOfScript('sqlite', '', twice)).toEqual(['0'])
    expect(kindOf('sqlite', shared, twice)).toBe('different')
    expect(kindOf('sqlite', shared, shared.toLowerCase())).toBe('equal')
  })

  it('are not moved past a join or left out', () => {
    const drawn = 'SELECT q.a FROM (SELECT a FROM t WHERE random() < 5) AS q JOIN t AS u ON u.a > q.a'
    const moved = 'SELECT q.a FROM t AS q JOIN t AS u ON u.a > q.a WHERE random() < 5'
    expect(kindOf('sqlite', drawn, moved)).toBe('different')
  })
})
