import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('days of the week', () => {
  it.each([
    ['postgres: extract(dow from d)', 'mysql: dayofweek(d) - 1'],
    ['postgres: extract(dow from d)', 'duckdb: dayofweek(d)'],
    ['mysql: DAYOFWEEK(d)', 'presto: (DAY_OF_WEEK(d) % 7) + 1'],
    ['mysql: weekday(d)', 'postgres: extract(isodow from d) - 1'],
    ['bigquery: extract(dayofweek from d)', 'mysql: dayofweek(d)'],
    [
      'postgres: SELECT a FROM t WHERE extract(dow from d) IN (0, 6)',
      'mysql: SELECT a FROM t WHERE dayofweek(d) IN (1, 7)',
    ],
    [
      'postgres: SELECT a FROM t WHERE extract(dow from d) IN (0, 6)',
      "sqlite: SELECT a FROM t WHERE strftime('%w', d) IN ('0', '6')",
    ],
    ['trino: SELECT a FROM t WHERE day_of_week(d) = 7', 'mysql: SELECT a FROM t WHERE weekday(d) = 6'],
  ])('%s is %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated)).toEqual({ kind: 'equal' })
  })

  it.each([
    ['postgres: extract(dow from d)', 'mysql: dayofweek(d)'],
    ['mysql: weekday(d)', 'duckdb: weekday(d)'],
    ['postgres: extract(dow from d)', 'trino: day_of_week(d)'],
    [
      'postgres: SELECT a FROM t WHERE extract(dow from d) = 7',
      'trino: SELECT a FROM t WHERE day_of_week(d) = 7',
    ],
    ['snowflake: dayofweek(d)', 'mysql: dayofweek(d)'],
  ])('%s is not %s', (expected, generated) => {
    expect(comparePair(parser, expected, generated).kind).toBe('different')
  })
})
