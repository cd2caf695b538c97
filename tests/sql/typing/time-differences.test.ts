import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair, kindBothWays } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('days from one to another', () => {
  it('are whole days and midnights alike where there is no time of the day', () => {
    const finding = comparePair(parser, "presto: date_diff('day', a, b)", "duckdb: date_diff('day', a, b)")
    expect(finding).toMatchObject({ kind: 'equal_if', assumptions: ['t.a holds days', 't.b holds days'] })
    const months = ["presto: date_diff('month', a, b)", "duckdb: date_diff('month', a, b)"] as const
    expect(kindBothWays(parser, ...months)).toBe('different')
  })
})
