import { describe } from 'vitest'
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
