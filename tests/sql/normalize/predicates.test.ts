import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { duplicatesAndNulls } from '../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../rule-tests.js'

describe('predicates on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'rows of values',
      'SELECT id FROM t WHERE a = 1 AND b = 1 OR a = 2 AND b = 2',
      'SELECT id FROM t WHERE (a, b) IN ((1, 1), (2, 2))',
      'SELECT id FROM t WHERE (a, b) IN ((1, 1), (9, 2))',
    ],
  ])
})

describe('ANY and ALL in DuckDB', () => {
  itKeepsRowsOfDuckdb(
    duplicatesAndNulls,
    [
      [
        '= ANY is IN',
        'SELECT id FROM t WHERE a = ANY (SELECT x FROM u)',
        'SELECT id FROM t WHERE a IN (SELECT x FROM u)',
        'SELECT id FROM t WHERE a <> ANY (SELECT x FROM u)',
      ],
      [
        '<> ALL is NOT IN',
        'SELECT id FROM t WHERE a <> ALL (SELECT x FROM u)',
        'SELECT id FROM t WHERE a NOT IN (SELECT x FROM u)',
        'SELECT id FROM t WHERE a <> ALL (SELECT x FROM u WHERE x IS NOT NULL)',
      ],
      [
        '= ANY of a list is IN',
        'SELECT id FROM t WHERE a = ANY ([1, 2])',
        'SELECT id FROM t WHERE a IN (1, 2)',
        'SELECT id FROM t WHERE a = ANY ([1, 9])',
      ],
    ],
    ['duckdb'],
  )
})

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a row compared with literals', () => {
  it.each(['duckdb', 'spark'] as const)('is compared part by part in %s', (dialect) => {
    const [a, b] = ['SELECT k FROM t WHERE (a, b) = (3, 4)', 'SELECT k FROM t WHERE a = 3 AND b = 4']
    expect(compareQueries(parser, a, b, dialect).kind).toBe('equal')
  })
})
