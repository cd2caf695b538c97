import { describe } from 'vitest'
import { customersWithOrders, duplicatesAndNulls, groupsWithTies } from '../rule-tables.js'
import { both, describeRules, itKeepsRows, itKeepsRowsOfDuckdb } from '../rule-tests.js'

describe('window frames on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, sum(x) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t',
      'SELECT id, sum(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t',
      'SELECT id, sum(x) OVER (ORDER BY id ROWS 2 PRECEDING) FROM t',
    ],
  ])
})

describe('window frames on groups with ties', () => {
  const over = (window: string): string => `SELECT id, sum(a) OVER (${window}) FROM t`

  describeRules(groupsWithTies, [
    [
      'the frame that an order has by itself',
      both,
      over('PARTITION BY g ORDER BY b'),
      over('PARTITION BY g ORDER BY b RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW'),
      over('PARTITION BY g ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW'),
    ],
  ])
})

describe('window frames on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'NTH_VALUE(x, 1)',
      'SELECT id, nth_value(a, 1) OVER (ORDER BY id) FROM t',
      'SELECT id, first_value(a) OVER (ORDER BY id) FROM t',
      'SELECT id, nth_value(a, 2) OVER (ORDER BY id) FROM t',
    ],
  ])
})
