import { describe } from 'vitest'
import { customersWithOrders, duplicatesAndNulls } from '../rule-tables.js'
import { both, itKeepsRows, itKeepsRowsOfDuckdb } from '../rule-tests.js'

describe('merge ranges on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      "SELECT id FROM t WHERE s IN ('paid', 'open') AND s <> 'open'",
      "SELECT id FROM t WHERE s = 'paid'",
      "SELECT id FROM t WHERE s IN ('paid', 'open') AND s <> 'lost'",
    ],
    [
      both,
      "SELECT id FROM t WHERE s IN ('paid', 'open') AND s IN ('open', 'lost')",
      "SELECT id FROM t WHERE s = 'open'",
      "SELECT id FROM t WHERE s IN ('paid', 'open') OR s IN ('open', 'lost')",
    ],
    [
      ['duckdb'],
      'SELECT id FROM t WHERE a IN (1, 2, 3) AND a > 1 AND NOT a = 3',
      'SELECT id FROM t WHERE a = 2',
      'SELECT id FROM t WHERE a IN (1, 2, 3) AND a > 1',
    ],
    [
      ['duckdb'],
      'SELECT id FROM t WHERE a > 2',
      'SELECT id FROM t WHERE a >= 3',
      'SELECT id FROM t WHERE a >= 2',
    ],
    [
      ['duckdb'],
      'SELECT id FROM t WHERE a > 2 OR a <= 2',
      'SELECT id FROM t WHERE a IS NOT NULL',
      'SELECT id FROM t WHERE a > 3 OR a <= 2',
    ],
    [
      both,
      'SELECT id FROM t WHERE x IN (5, 6, 7) AND x <> 6',
      'SELECT id FROM t WHERE x = 5 OR x = 7',
      'SELECT id FROM t WHERE x IN (5, 6, 7) AND x <> 5',
    ],
  ])
})

describe('merge ranges on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'two bounds that are one value',
      'SELECT id FROM t WHERE a = 1',
      'SELECT id FROM t WHERE a >= 1 AND a <= 1',
      'SELECT id FROM t WHERE a >= 1 AND a <= 2',
    ],
  ])
})
