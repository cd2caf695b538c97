import { beforeAll, describe, expect, it } from 'vitest'
import { outermostOrder } from '../../src/sql/outermost-order.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('the order of the outermost select', () => {
  it.each([
    ['SELECT a FROM t ORDER BY a', true],
    ['SELECT a FROM t UNION SELECT b FROM u ORDER BY 1', true],
    ['(SELECT a FROM t) ORDER BY 1', true],
    ['WITH c AS (SELECT 1 AS a) SELECT a FROM c ORDER BY a LIMIT 1', true],
    ['SELECT a FROM t', false],
    ['SELECT a FROM (SELECT a FROM t ORDER BY a) x', false],
    ['SELECT row_number() OVER (ORDER BY a) FROM t', false],
    ['not a query', false],
  ])('%s: %s', (sql, ordered) => {
    expect(outermostOrder(parser, sql, 'duckdb')).toEqual({ ordered })
  })
})
