import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('moments with a time zone of their own', () => {
  it.each([
    [
      "SELECT k FROM t WHERE date_trunc('day', x) = DATE '2024-01-01'",
      "SELECT k FROM t WHERE CAST(x AS DATE) = DATE '2024-01-01'",
    ],
    [
      "SELECT date_trunc('month', CAST(x AS DATE)) AS m, count(*) FROM t GROUP BY 1",
      "SELECT date_trunc('month', x) AS m, count(*) FROM t GROUP BY 1",
    ],
  ])('make %s different from %s', (a, b) => {
    const ask = (type: string | undefined) => {
      const schema = type && parseSchema(parser, `CREATE TABLE t (k INTEGER, x ${type})`, 'trino')
      return compareQueries(parser, a, b, 'trino', schema ? { schema } : {})
    }
    expect(ask(undefined)).toMatchObject({ kind: 'equal_if', assumptions: ['t.x has no time zone'] })
    expect(ask('TIMESTAMP').kind).toBe('equal')
    expect(ask('TIMESTAMP WITH TIME ZONE').kind).toBe('different')
    expect(compareQueries(parser, a, b, 'duckdb').kind).toBe('equal')
  })
})
