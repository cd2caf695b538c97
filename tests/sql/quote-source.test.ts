import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { compareQueries, compareQueryPair } from '../../src/sql/compare.js'
import { loadSqlParser } from '../../src/sql/index.js'

const parser = await loadSqlParser()

function told(expected: string, generated: string, dialect: Dialect): readonly string[] {
  const comparison = compareQueries(parser, expected, generated, dialect)
  return 'differences' in comparison ? comparison.differences.map(({ text }) => text) : []
}

const from = 'SELECT count(*) FROM orders AS o WHERE o.open'

describe('a difference between two queries', () => {
  it.each<[Dialect, string]>([
    ['postgres', "o.tags @> ARRAY['a']"],
    ['mysql', "o.name REGEXP '^a'"],
    ['mysql', 'IFNULL(o.x, 0) > 3'],
    ['bigquery', 'SAFE_CAST(o.x AS INT64) > 3'],
    ['duckdb', "o.ts::DATE BETWEEN '2025-01-01' AND '2025-02-01'"],
    ['trino', "json_extract_scalar(o.data, '$.country') = 'GB'"],
    ['snowflake', "o.data:country::string = 'GB'"],
  ])('is told in the words of the query (%s): %s', (dialect, condition) => {
    expect(told(from, `${from} AND ${condition}`, dialect)).toEqual([`filter extra: ${condition}`])
    expect(told(`${from} AND ${condition}`, from, dialect)).toEqual([`filter missing: ${condition}`])
  })

  it('is told in the words of both where one part became another', () => {
    expect(told('SELECT day, IFNULL(a, 0) FROM t', 'SELECT day, IFNULL(b, 0) FROM t', 'mysql')).toEqual([
      'column: IFNULL(b, 0) instead of IFNULL(a, 0)',
    ])
  })

  it.each([
    ['SELECT sum(x) FROM t', 'SELECT avg(x) FROM t', 'aggregate: avg(x) instead of sum(x)'],
    ['SELECT x FROM t', "SELECT x FROM t WHERE kind = 'a'", "filter extra: kind = 'a'"],
  ])('is left as it is where that is how it is written', (expected, generated, text) => {
    expect(told(expected, generated, 'duckdb')).toEqual([text])
  })

  it('is told in the words of each query where they are in two dialects', () => {
    const comparison = compareQueryPair(
      parser,
      { sql: "SELECT strftime('%Y-%m', day) FROM t", dialect: 'sqlite' },
      { sql: "SELECT to_char(day, 'YYYY') FROM t", dialect: 'postgres' },
    )
    const texts = 'differences' in comparison ? comparison.differences.map(({ text }) => text) : []
    expect(texts).toEqual(["column: to_char(day, 'YYYY') instead of strftime('%Y-%m', day)"])
  })

  it('is told in the canonical form where no part of a query has it', () => {
    const [text] = told(
      'SELECT n FROM (SELECT count(*) AS n FROM t WHERE IFNULL(x, 0) > 1) AS s',
      'SELECT n FROM (SELECT count(*) AS n FROM t) AS s',
      'mysql',
    )
    expect(text).toContain('coalesce(x, 0) > 1')
  })
})
