import { beforeAll, expect, it } from 'vitest'
import { isNonValueNumber } from '../../../../../src/domains/sql/repair/validate/non-value-numbers.js'
import { loadSqlParser, type SqlParser } from '../../../../../src/sql/index.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function positions(sql: string): string[] {
  const outcome = parser.tokenize(sql, 'duckdb')
  const tokens = outcome.kind === 'tokens' ? outcome.tokens : []
  return tokens.filter((_, index) => isNonValueNumber(tokens, index)).map(({ text }) => text)
}

it('numbers that name columns are positions', () => {
  expect(
    positions('SELECT a, 7, count(*) FROM t GROUP BY 1, 2 HAVING count(*) > 3 ORDER BY 3 DESC, 1'),
  ).toEqual(['1', '2', '3', '1'])
  expect(positions('SELECT a FROM (SELECT a FROM t GROUP BY 1) ORDER BY 1 LIMIT 5')).toEqual(['1', '1'])
})

it('numbers that are compared, counted or calculated with are not positions', () => {
  expect(positions('SELECT 1 FROM t WHERE a IN (1, 2) AND b BETWEEN 3 AND 4 LIMIT 5')).toEqual([])
  expect(positions('SELECT a FROM t GROUP BY a % 30 ORDER BY 2 * a, a')).toEqual([])
})

it('a 0 that is the result for no rows is not a value', () => {
  expect(
    positions(
      'SELECT sum(CASE WHEN a THEN b ELSE 0 END), coalesce(sum(b), 0), iif(a, coalesce(b, c), 0) FROM t',
    ),
  ).toEqual(['0', '0', '0'])
  expect(
    positions('SELECT CASE WHEN a > 0 THEN 0 ELSE 1 END, greatest(b, 0), b * 0, iif(a, 0, b) FROM t'),
  ).toEqual([])
})
