import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const kindOf = (a: string, b: string, dialect: Dialect = 'postgres') =>
  compareQueries(parser, `SELECT a FROM t WHERE ${a}`, `SELECT a FROM t WHERE ${b}`, dialect).kind

/** Rule, two conditions that choose the same rows, and one that does not. */
const filters: readonly [string, string, string, string][] = [
  [
    'AND and OR distribute',
    '(a = 1 AND b = 2) OR c = 3',
    '(a = 1 OR c = 3) AND (b = 2 OR c = 3)',
    '(a = 1 OR c = 3) AND b = 2',
  ],
  [
    'what all alternatives say',
    '(a = 1 AND b = 2) OR (a = 1 AND b = 3)',
    'a = 1 AND b IN (2, 3)',
    'a = 1 AND b = 2',
  ],
  ['an alternative that another implies', '(a = 1 AND b = 2) OR a = 1', 'a = 1', 'a = 1 AND b = 2'],
  ['a weaker bound', 'a > 10 AND a > 0', 'a > 10', 'a > 0'],
  ['a weaker alternative', 'a > 10 OR a > 0', 'a > 0', 'a > 10'],
  ['a bound that a value satisfies', 'a = 5 AND a > 3', 'a = 5', 'a = 5 AND b > 3'],
  ['two values at once', 'a = 5 AND a = 6', 'FALSE', 'a = 5 AND b = 6'],
  ['bounds that leave nothing', 'a > 5 AND a <= 5', 'FALSE', 'a >= 5 AND a <= 5'],
  [
    'alternatives that leave nothing out',
    'a > 5 OR (a <= 5 AND b = 1)',
    'a IS NOT NULL AND (a > 5 OR b = 1)',
    'a > 5 OR b = 1',
  ],
  ['unknown counts as false', 'NULL AND a = 1', 'FALSE', 'a = 1'],
  ['a list with NULL left out', 'a NOT IN (1, NULL)', 'FALSE', 'a <> 1'],
  ['a list with NULL', 'a IN (1, NULL)', 'a = 1', 'a IS NULL OR a = 1'],
  ['truth of a condition', '(a = 1) IS TRUE', 'a = 1', '(a = 1) IS FALSE'],
  ['a condition compared with FALSE', '(a IS NULL) = FALSE', 'a IS NOT NULL', '(a IS NULL) = TRUE'],
  [
    'a CASE as a condition',
    'CASE WHEN a < 1 THEN TRUE ELSE FALSE END',
    'a < 1',
    'CASE WHEN a < 1 THEN FALSE ELSE TRUE END',
  ],
  ['a compared CASE', "CASE WHEN a = 1 THEN 'red' WHEN a = 2 THEN 'blue' END = 'blue'", 'a = 2', 'a = 1'],
  [
    'a CASE whose first branch wins',
    'CASE WHEN a = 1 THEN 0 WHEN a = 1 THEN 1 WHEN a = 2 THEN 1 END = 1',
    'a = 2',
    'a IN (1, 2)',
  ],
  [
    'a CASE with overlapping branches',
    'CASE WHEN a = 1 THEN 0 WHEN b = 1 THEN 1 END = 1',
    'b = 1 AND NOT (a = 1) IS TRUE',
    'b = 1',
  ],
  ['nullif() that is NULL', "nullif(a, 'x') IS NULL", "a IS NULL OR a = 'x'", "a = 'x'"],
  ['nullif() that is not NULL', "nullif(a, 'x') IS NOT NULL", "a <> 'x'", 'a IS NOT NULL'],
  ['coalesce() with FALSE', 'coalesce(a < 1, FALSE)', 'a < 1', 'coalesce(a < 1, TRUE)'],
]

describe('conditions that choose the same rows', () => {
  it.each(filters)('%s', (_, a, b, other) => {
    expect(kindOf(a, b)).toBe('equal')
    expect(kindOf(b, a)).toBe('equal')
    expect(kindOf(a, other)).toBe('different')
  })

  it('treat two texts as different values only where no collation and no type makes them equal', () => {
    expect(kindOf("a = 'red' AND a = 'blue'", 'FALSE')).toBe('equal')
    expect(kindOf("a = 'red' AND a = 'Red'", 'FALSE', 'mysql')).toBe('different')
    expect(kindOf("a = '5' AND a = '5.0'", 'FALSE', 'mysql')).toBe('different')
    expect(kindOf("a = 'true' AND a = 't'", 'FALSE')).toBe('different')
  })

  it('compare bounds in SQLite only on columns of numbers', () => {
    expect(kindOf('a > 10 AND a > 9', 'a > 10', 'sqlite')).toBe('different')
  })

  it('do not take NaN for a number where it is below and above none', () => {
    const [a, b] = ['a > 5 OR (a <= 5 AND b = 1)', 'a IS NOT NULL AND (a > 5 OR b = 1)']
    expect(kindOf(a, b, 'trino')).toBe('different')
  })

  it('are not rewritten where they would become too many', () => {
    const many = Array.from({ length: 12 }, (_, at) => `(a${at} = 1 AND b${at} = 1)`)
    expect(kindOf(many.join(' OR '), many.toReversed().join(' OR '))).toBe('equal')
  })
})

describe('conditions as values', () => {
  const values = (a: string, b: string) =>
    compareQueries(parser, `SELECT ${a} FROM t`, `SELECT ${b} FROM t`, 'postgres').kind

  it.each([
    ['CASE WHEN a = 1 THEN TRUE ELSE FALSE END', '(a = 1) IS NOT DISTINCT FROM TRUE', 'a = 1'],
    ['(CASE WHEN a = 1 THEN b ELSE 2 END) = 2', 'CASE WHEN a = 1 THEN b = 2 ELSE TRUE END', 'b = 2'],
    [
      '(CASE WHEN a = 1 THEN b ELSE 2 END) IS NULL',
      'CASE WHEN a = 1 THEN b IS NULL ELSE FALSE END',
      'b IS NULL',
    ],
    ['(a = 1) = TRUE', 'a = 1', '(a = 1) IS TRUE'],
    ['a + NULL', 'NULL', 'a'],
  ])('%s is %s, not %s', (a, b, other) => {
    expect(values(a, b)).toBe('equal')
    expect(values(a, other)).toBe('different')
  })
})
