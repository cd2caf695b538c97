import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../../src/sql/tables/load-schema.js'
import { comparePair } from '../dialect-pairs.js'

const ddl = `CREATE TABLE t (id INTEGER PRIMARY KEY NOT NULL, a DATE, b DATE, ts TIMESTAMP, x DOUBLE, y DECIMAL(12,2), q INTEGER,
  s VARCHAR, f BOOLEAN, n INTEGER NOT NULL)`

let parser: SqlParser
let schema: Schema
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'ansi')
})

/** `equal`, `different`, or what is assumed; the same both ways. */
function told(expected: string, generated: string): string {
  const [one, other] = [
    comparePair(parser, expected, generated, { schema }),
    comparePair(parser, generated, expected, { schema }),
  ]
  expect(other.kind).toBe(one.kind)
  return one.kind === 'equal_if' ? one.assumptions.join('; ') : one.kind
}

type Row = readonly [expected: string, generated: string, told: string]

const nulls: readonly Row[] = [
  [
    'duckdb: SELECT s, count_if(q > 1) FROM t GROUP BY s',
    'duckdb: SELECT s, sum(CASE WHEN q > 1 THEN 1 ELSE 0 END) FROM t GROUP BY s',
    't.q is never NULL',
  ],
  [
    'duckdb: SELECT s, count_if(n > 1) FROM t GROUP BY s',
    'duckdb: SELECT s, sum(CASE WHEN n > 1 THEN 1 ELSE 0 END) FROM t GROUP BY s',
    'equal',
  ],
  ['duckdb: max_by(s, q)', 'trino: max_by(s, q)', 't.s is never NULL'],
  ['duckdb: arg_min(n, q)', 'snowflake: min_by(n, q)', 'equal'],
  ['duckdb: arg_max(s, q)', 'duckdb: max_by(s, q)', 'equal'],
  [
    'trino: SELECT id FROM t WHERE NOT contains(s, 5)',
    'duckdb: SELECT id FROM t WHERE NOT list_contains(s, 5)',
    'no array has NULLs in it',
  ],
  [
    'trino: SELECT id FROM t WHERE contains(s, 5)',
    'duckdb: SELECT id FROM t WHERE list_contains(s, 5)',
    'equal',
  ],
  [
    'spark: SELECT s, array_agg(q) FROM t GROUP BY s',
    'trino: SELECT s, array_agg(q) FROM t GROUP BY s',
    'no array is gathered from no rows; t.q is never NULL',
  ],
  ['snowflake: array_agg(q)', 'spark: array_agg(q)', 'equal'],
  [
    "snowflake: LISTAGG(s, ',') WITHIN GROUP (ORDER BY s)",
    "postgres: string_agg(s, ',' ORDER BY s)",
    'no group has only NULLs to join',
  ],
  ["snowflake: ARRAY_TO_STRING(s, ',')", "postgres: array_to_string(s, ',')", 'no array has NULLs in it'],
  ["snowflake: CONCAT_WS('-', s, q)", "postgres: concat_ws('-', s, q)", 'different'],
  ["snowflake: CONCAT_WS('-', s, q)", "postgres: s || '-' || q", 'equal'],
  ['mysql: count(DISTINCT q, s)', 'postgres: count(DISTINCT (q, s))', 't.q is never NULL; t.s is never NULL'],
  ['mysql: count(DISTINCT q, s)', 'snowflake: count(DISTINCT q, s)', 'equal'],
  ['postgres: array_length(s, 1)', 'bigquery: array_length(s)', 'no array is empty'],
  ['spark: size(s)', 'trino: cardinality(s)', 't.s is never NULL'],
  ['spark: array_size(s)', 'trino: cardinality(s)', 'equal'],
  [
    'snowflake: last_value(x) OVER (PARTITION BY s ORDER BY a NULLS LAST)',
    'postgres: last_value(x) OVER (PARTITION BY s ORDER BY a)',
    'different',
  ],
  [
    'snowflake: last_value(x) OVER (PARTITION BY s ORDER BY a NULLS LAST)',
    'postgres: last_value(x) OVER (PARTITION BY s ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)',
    'equal',
  ],
  [
    'snowflake: first_value(x) OVER (ORDER BY a NULLS LAST)',
    'postgres: first_value(x) OVER (ORDER BY a)',
    'equal',
  ],
]

const numbers: readonly Row[] = [
  ['duckdb: x // 2', 'mysql: x DIV 2', 'different'],
  ['duckdb: q // 2', 'mysql: q DIV 2', 'equal'],
  ['sqlite: x % 2', 'duckdb: x % 2', 'different'],
  ['sqlite: q % 2', 'duckdb: q % 2', 'equal'],
  ['sqlite: round(x, -2)', 'duckdb: round(x, -2)', 'different'],
  ['sqlite: round(x, -2)', 'sqlite: round(x)', 'equal'],
  [
    "redshift: avg(CASE WHEN s = 'paid' THEN 1 ELSE 0 END)",
    "postgres: avg(CASE WHEN s = 'paid' THEN 1 ELSE 0 END)",
    'different',
  ],
  ['redshift: avg(y)', 'postgres: avg(y)', 'different'],
  ['redshift: avg(x)', 'postgres: avg(x)', 'equal'],
  ['trino: avg(y)', 'postgres: avg(y)', 'different'],
  ['trino: avg(q)', 'postgres: avg(q)', 'equal'],
  ['postgres: round(x)', 'bigquery: round(x)', 'nothing that is rounded lies half way between two numbers'],
  ['postgres: round(y)', 'bigquery: round(y)', 'equal'],
  [
    'postgres: CAST(x AS integer)',
    'bigquery: CAST(x AS INT64)',
    'nothing that is rounded lies half way between two numbers',
  ],
  ['postgres: CAST(x AS integer)', 'duckdb: CAST(x AS integer)', 'equal'],
]

const times: readonly Row[] = [
  ["duckdb: date_diff('week', a, b)", "snowflake: DATEDIFF('week', a, b)", 'different'],
  ['bigquery: DATE_DIFF(b, a, WEEK)', "snowflake: DATEDIFF('week', a, b)", 'different'],
  ['bigquery: DATE_DIFF(b, a, WEEK)', 'redshift: datediff(week, a, b)', 'equal'],
  [
    'mysql: TIMESTAMPDIFF(MONTH, a, b)',
    "duckdb: datesub('month', a, b)",
    'no span of months ends on the last day of a shorter month',
  ],
  ["trino: date_diff('year', a, b)", "duckdb: datesub('year', a, b)", 'equal'],
  ['sqlite: SELECT id FROM t WHERE b > a + 7', 'postgres: SELECT id FROM t WHERE b > a + 7', 'different'],
  ['sqlite: a - 1', 'duckdb: a - 1', 'different'],
  ['sqlite: q + 7', 'postgres: q + 7', 'equal'],
  ['sqlite: SELECT id FROM t WHERE ts >= a', 'duckdb: SELECT id FROM t WHERE ts >= a', 'different'],
  ['sqlite: SELECT id FROM t WHERE b >= a', 'duckdb: SELECT id FROM t WHERE b >= a', 'equal'],
  ['postgres: a + 7', 'duckdb: a + INTERVAL 7 DAY', 'equal'],
]

const texts: readonly Row[] = [
  ['duckdb: CAST(s AS VARCHAR(3))', 'postgres: CAST(s AS VARCHAR(3))', 'different'],
  ['duckdb: CAST(s AS VARCHAR(3))', 'postgres: CAST(s AS VARCHAR)', 'equal'],
  ['postgres: CAST(s AS CHAR)', 'mysql: CAST(s AS CHAR)', 'different'],
  ['trino: CAST(s AS CHAR)', 'bigquery: CAST(s AS STRING)', 'different'],
  ['duckdb: CAST(x AS VARCHAR)', 'postgres: CAST(x AS VARCHAR)', 'different'],
  ['postgres: CAST(f AS VARCHAR)', 'mysql: CAST(f AS CHAR)', 'different'],
  ['postgres: CAST(f AS VARCHAR)', 'duckdb: CAST(f AS VARCHAR)', 'equal'],
  ['sqlite: s || x', 'postgres: s || x', 'different'],
  ['sqlite: s || q', 'postgres: s || q', 'equal'],
  ["sqlite: group_concat(q = 1, ',')", "duckdb: string_agg(q = 1, ',')", 'different'],
  ["sqlite: group_concat(coalesce(ts, a), ',')", "duckdb: string_agg(coalesce(ts, a), ',')", 'different'],
  ['trino: CAST(ts AS varchar)', 'postgres: CAST(ts AS varchar)', 'different'],
  ['duckdb: CAST(ts AS varchar)', 'postgres: CAST(ts AS varchar)', 'equal'],
  ['trino: CAST(x AS varchar)', 'presto: CAST(x AS varchar)', 'equal'],
  [
    'mysql: substr(s, -3, 2)',
    'sqlite: substr(s, -3, 2)',
    'no text ends before a place that is counted from its end',
  ],
]

describe('operations that differ between dialects for values of some kinds', () => {
  it.each([...nulls, ...numbers, ...times, ...texts])('%s and %s: %s', (expected, generated, words) => {
    expect(told(expected, generated)).toBe(words)
  })

  it.each([
    ['duckdb: max_by(u, v)', 'trino: max_by(u, v)', 't.u is never NULL'],
    ['sqlite: u + 7', 'postgres: u + 7', 't.u holds numbers'],
    ['duckdb: u // 2', 'mysql: u DIV 2', 't.u holds whole numbers'],
    ['trino: avg(u)', 'postgres: avg(u)', 't.u holds no decimals'],
    ['trino: CAST(u AS varchar)', 'duckdb: CAST(u AS varchar)', 't.u holds texts, days or whole numbers'],
  ])('are equal under an assumption where no schema has the type: %s, %s', (expected, generated, words) => {
    expect(comparePair(parser, expected, generated)).toMatchObject({
      kind: 'equal_if',
      assumptions: [words],
    })
  })
})

describe('what no schema tells', () => {
  const letterCase = 'no text differs only in case from one in the queries'
  it.each([
    ["mysql: s = 'a'", "postgres: s = 'a'", letterCase],
    ["mysql: s IN ('a', 'b')", "trino: s IN ('a', 'b')", letterCase],
    [
      "bigquery: JSON_EXTRACT_SCALAR(j, '$.y')",
      "duckdb: j ->> '$.y'",
      'no path into JSON ends at an object or a list',
    ],
    ["mysql: j ->> '$.y'", "postgres: j ->> 'y'", 'no path into JSON ends at its null'],
  ])('%s and %s are equal by convention, with and without a schema', (expected, generated, words) => {
    for (const given of [undefined, schema]) {
      const compared = comparePair(parser, expected, generated, { schema: given, dialectDefaults: true })
      expect(compared).toMatchObject({ kind: 'equal', assumptions: [words] })
      expect(comparePair(parser, expected, generated, { schema: given }).kind).toBe('equal_if')
    }
  })

  it.each([
    ["mysql: s = '2025-01'", "postgres: s = '2025-01'"],
    ["mysql: s = 'a'", "mysql: s = 'a'"],
    ["sqlite: s = 'a'", "postgres: s = 'a'"],
    ["trino: json_extract_scalar(j, '$.y')", "bigquery: JSON_EXTRACT_SCALAR(j, '$.y')"],
    ["mysql: s REGEXP '^[0-9]+$'", "trino: regexp_like(s, '^[0-9]+$')"],
    ["mysql: s REGEXP 'a'", "duckdb: regexp_matches(s, 'a', 'i')"],
    ['trino: CAST(s AS TIME(6) WITH TIME ZONE)', 'duckdb: CAST(s AS TIMETZ)'],
    ['trino: CAST(s AS TIMESTAMP(3))', 'presto: CAST(s AS TIMESTAMP)'],
  ])('%s and %s are equal without it', (expected, generated) => {
    expect(comparePair(parser, expected, generated)).toEqual({ kind: 'equal' })
  })

  it.each([
    ["mysql: s REGEXP 'a'", "presto: regexp_like(s, 'a')"],
    ['postgres: CAST(s AS TIMESTAMP)', 'sqlite: CAST(s AS DATETIME)'],
    ['postgres: CAST(s AS TIME)', 'sqlite: CAST(s AS TIME)'],
    ['presto: CAST(s AS TIME(5) WITH TIME ZONE)', 'duckdb: CAST(s AS TIMETZ)'],
    ['duckdb: CAST(s AS TIMESTAMP)', 'trino: CAST(s AS TIMESTAMP(2))'],
  ])('%s and %s are different', (expected, generated) => {
    expect(comparePair(parser, expected, generated).kind).toBe('different')
  })
})

describe('the rows of SQLite and DuckDB, which differ as the comparison says', () => {
  const setup = `CREATE TABLE t (s VARCHAR, q INTEGER, x DOUBLE, a DATE, d DATE);
    INSERT INTO t VALUES ('abcdef', NULL, 7.5, '2025-01-31', '2025-02-28'), (NULL, 5, 150, '2025-01-04', '2025-01-06')`
  const run = async (sql: string): Promise<{ sqlite: string | undefined; duckdb: string | undefined }> => {
    const sqlite = new Database(':memory:')
    sqlite.exec(setup)
    const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
    await duckdb.run(setup)
    const shown = (rows: readonly (readonly unknown[])[]): string => rows.flat().map(String).join(' ')
    const given = async (rows: () => unknown): Promise<string | undefined> => {
      try {
        return shown((await rows()) as unknown[][])
      } catch {
        return undefined
      }
    }
    return {
      sqlite: await given(() => sqlite.prepare(sql).raw(true).all()),
      duckdb: await given(async () => (await duckdb.runAndReadAll(sql)).getRows()),
    }
  }

  it.each([
    ['SELECT count_if(q > 1) FROM t WHERE q IS NULL', undefined, 'null'],
    ["SELECT max_by(v, w) FROM (VALUES ('x', 1), (NULL, 5)) AS u(v, w)", undefined, 'x'],
    ['SELECT x // 2 FROM t', undefined, '3.75 75'],
    ["SELECT date_diff('week', a, d) FROM t", undefined, '4 0'],
    ["SELECT datesub('month', a, d) FROM t", undefined, '1 0'],
    ['SELECT list_contains([1, NULL], 5)', undefined, 'false'],
    ['SELECT x % 2 FROM t', '1 0', '1.5 0'],
    ['SELECT round(x, -2) FROM t', '8 150', '0 200'],
    ['SELECT a + 1 FROM t', '2026 2026', '2025-02-01 2025-01-05'],
    ['SELECT CAST(x AS VARCHAR) FROM t', '7.5 150.0', '7.5 150.0'],
    ['SELECT CAST(s AS VARCHAR(3)) FROM t WHERE q IS NULL', 'abcdef', 'abcdef'],
    ["SELECT substr('ab', -3, 2)", 'a', 'a'],
  ])('%s', async (sql, ofSqlite, ofDuckdb) => {
    expect(await run(sql)).toEqual({ sqlite: ofSqlite, duckdb: ofDuckdb })
  })
})
