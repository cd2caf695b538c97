import { beforeAll, describe, expect, it } from 'vitest'
import { readQuery } from '../../src/audit/mutate/query-text.js'
import { findNondeterminismSources, outermostLimit } from '../../src/audit/nondeterminism-sources.js'
import { loadSqlParser, type SqlParser, schemaFromCatalogue } from '../../src/sql/index.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const schema = schemaFromCatalogue({ tables: [] })

function query(sql: string) {
  const tokens = parser.tokenize(sql, 'duckdb')
  if (tokens.kind === 'failed') throw new Error(tokens.message)
  return readQuery(sql, tokens.tokens, schema)
}

describe('chance in a query', () => {
  it.each([
    ['SELECT 1 FROM t WHERE d < current_date', 'reads the clock: current_date'],
    ['SELECT now()', 'reads the clock: now'],
    ["SELECT 1 FROM t WHERE d > date('NOW', '-1 day')", "reads the clock: date('now')"],
    ['SELECT a FROM t ORDER BY random()', 'uses random rows or values: random'],
    ['SELECT a FROM t USING SAMPLE 10', 'uses random rows or values: a sample of rows'],
    ['SELECT a FROM t LIMIT 5', 'LIMIT 5 without ORDER BY: any rows may be returned'],
    [
      'SELECT a FROM (SELECT a FROM t LIMIT 5) ORDER BY a LIMIT 2',
      'LIMIT 5 without ORDER BY: any rows may be returned',
    ],
    [
      'SELECT a, sum(b) OVER (ORDER BY c) FROM t LIMIT 5',
      'LIMIT 5 without ORDER BY: any rows may be returned',
    ],
    [
      'SELECT a FROM (SELECT a FROM t ORDER BY a) LIMIT 5',
      'LIMIT 5 without ORDER BY: any rows may be returned',
    ],
  ])('%s', (sql, text) => {
    expect(findNondeterminismSources(query(sql)).map((chance) => chance.text)).toEqual([text])
  })

  it.each([
    "SELECT date('2025-01-01'), t.now, 'random()' AS now FROM t",
    'SELECT a FROM t ORDER BY a LIMIT 5',
    'SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 5',
    '(SELECT a FROM t ORDER BY a LIMIT 5)',
    'SELECT 1 AS current_date',
  ])('is none in %s', (sql) => {
    expect(findNondeterminismSources(query(sql))).toEqual([])
  })

  it('knows the limit of the outermost query only', () => {
    expect(outermostLimit(query('SELECT a FROM (SELECT a FROM t LIMIT 3) LIMIT 7'))).toBe(7)
    expect(outermostLimit(query('SELECT a FROM (SELECT a FROM t LIMIT 3)'))).toBeUndefined()
  })
})
