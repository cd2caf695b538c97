import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'
import { comparePair, kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const trino = 'trino: SELECT id, x FROM e CROSS JOIN UNNEST(tags) AS t(x)'
const bigquery = 'bigquery: SELECT id, x FROM e, UNNEST(tags) AS x'
const spark = 'spark: SELECT id, x FROM e LATERAL VIEW explode(tags) l AS x'
const duckdb = 'duckdb: SELECT id, x FROM e, UNNEST(e.tags) AS t(x)'
const postgres = 'postgres: SELECT id, x FROM e CROSS JOIN LATERAL unnest(e.tags) AS x'

describe('the elements of a list in FROM', () => {
  it.each([
    [bigquery, spark],
    [duckdb, bigquery],
    [spark, duckdb],
    [
      "trino: SELECT x FROM e CROSS JOIN UNNEST(split(s, ',')) AS t(x)",
      "duckdb: SELECT x FROM e, UNNEST(string_split(s, ',')) AS t(x)",
    ],
    ['trino: SELECT x FROM UNNEST(ARRAY[1, 2]) AS t(x)', 'bigquery: SELECT x FROM UNNEST([1, 2]) AS x'],
  ])('%s is %s', (one, other) => {
    expect(kindBothWays(parser, one, other)).toBe('equal')
  })

  it.each([
    [trino, bigquery],
    [trino, spark],
    [postgres, trino],
    [postgres, duckdb],
  ])('%s is %s where they are no records or lists, which only one of the two opens', (one, other) => {
    const finding = comparePair(parser, one, other)
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: ['e.tags holds lists of plain values'] })
  })

  it('are plain values where the schema says so', () => {
    const kindWith = (type: string, one: string, other: string) => {
      const schema = parseSchema(parser, `CREATE TABLE e (id BIGINT, tags ${type})`, 'ansi')
      return comparePair(parser, one, other, { schema }).kind
    }
    expect(kindWith('ARRAY(VARCHAR)', trino, bigquery)).toBe('equal')
    expect(kindWith('INTEGER[]', trino, duckdb)).toBe('equal')
    expect(kindWith('INTEGER[][]', trino, duckdb)).toBe('equal_if')
    expect(kindWith('ARRAY(ROW(a BIGINT))', trino, bigquery)).toBe('equal_if')
    // PostgreSQL's types do not tell how deep a list is.
    expect(kindWith('INTEGER[]', postgres, duckdb)).toBe('equal_if')
    expect(kindWith('JSON', trino, bigquery)).toBe('different')
  })

  it.each([
    [trino, 'spark: SELECT id, x FROM e LATERAL VIEW OUTER explode(tags) l AS x'],
    [trino, 'bigquery: SELECT id, x FROM e LEFT JOIN UNNEST(tags) AS x'],
    [
      'trino: SELECT id, n FROM e CROSS JOIN UNNEST(tags) WITH ORDINALITY AS t(x, n)',
      'bigquery: SELECT id, n FROM e, UNNEST(tags) AS x WITH OFFSET AS n',
    ],
    [duckdb, 'spark: SELECT id, x FROM e LATERAL VIEW explode(others) l AS x'],
  ])('%s is not %s', (one, other) => {
    expect(kindBothWays(parser, one, other)).toBe('different')
  })
})
