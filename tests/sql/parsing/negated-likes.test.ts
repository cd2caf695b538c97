import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { type QuerySetting, querySetting } from '../in-memory-databases.js'

const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, s VARCHAR, d INTEGER);'

const query = (expression: string): string => `SELECT id, ${expression} AS x FROM t`

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, [])
})

const kindOf = (dialect: Dialect, one: string, other: string): string =>
  compareQueries(setting.parser, query(one), query(other), dialect, { schema: setting.schema }).kind

describe('NOT before a LIKE', () => {
  it.each<[Dialect, string, string, string]>([
    ['sqlite', 'NOT s LIKE a', 's NOT LIKE a', 's LIKE a'],
    [
      'sqlite',
      "NOT s LIKE 'a' AND s LIKE 'b'",
      "s NOT LIKE 'a' AND s LIKE 'b'",
      "NOT (s LIKE 'a' AND s LIKE 'b')",
    ],
    ['duckdb', "NOT s ILIKE 'a' OR a = 1", "a = 1 OR s NOT ILIKE 'a'", "NOT (s ILIKE 'a' OR a = 1)"],
    ['duckdb', 'NOT NOT s LIKE a', 's LIKE a', 's NOT LIKE a'],
    [
      'postgres',
      "NOT left(s, 2) LIKE 'x' ESCAPE '!'",
      "left(s, 2) NOT LIKE 'x' ESCAPE '!'",
      "left(s, 2) NOT LIKE 'x'",
    ],
    [
      'postgres',
      'NOT a BETWEEN 0 AND 1 = (s LIKE s)',
      'NOT (a BETWEEN 0 AND 1) = (s LIKE s)',
      'a BETWEEN 0 AND 1',
    ],
    ['mysql', 'NOT s LIKE a && b', '(s NOT LIKE a) AND b', 'NOT (s LIKE a AND b)'],
    ['bigquery', 'NOT s LIKE "a" OR a = 1', "s NOT LIKE 'a' OR a = 1", "s NOT LIKE 'b' OR a = 1"],
    [
      'trino',
      "CASE WHEN NOT CASE WHEN a = 1 THEN s END LIKE 'x' THEN 1 END",
      "CASE WHEN CASE WHEN a = 1 THEN s END NOT LIKE 'x' THEN 1 END",
      "CASE WHEN CASE WHEN a = 1 THEN s END LIKE 'x' THEN 1 END",
    ],
  ])('in %s: %s is %s', (dialect, one, same, other) => {
    expect(kindOf(dialect, one, same)).toBe('equal')
    expect(kindOf(dialect, one, other)).toBe('different')
  })

  it('binds its names to their tables', () => {
    const named = (one: string, two: string): string =>
      `SELECT 1 FROM t AS ${one} JOIN u AS ${two} ON x.id = y.id WHERE NOT x.s LIKE 'a%'`
    const kind = compareQueries(setting.parser, named('x', 'y'), named('y', 'x'), 'sqlite').kind
    expect(kind).toBe('different')
  })
})
