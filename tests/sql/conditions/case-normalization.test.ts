import { describe } from 'vitest'
import { customersWithOrders, groupsWithTies } from '../rule-tables.js'
import { both, describeRules, itKeepsRows } from '../rule-tests.js'

describe('case normalization on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      "SELECT sum(CASE WHEN s = 'paid' THEN x ELSE 0 END) FROM t",
      "SELECT sum(CASE s WHEN 'paid' THEN x ELSE 0 END) FROM t",
      "SELECT coalesce(sum(CASE WHEN s = 'paid' THEN x END), 0) FROM t",
    ],
  ])
})

describe('case normalization on groups with ties', () => {
  const shown = (value: string): string => `SELECT id, ${value} FROM t`

  describeRules(groupsWithTies, [
    [
      'CASE inside ELSE',
      both,
      shown('CASE WHEN a > 1 THEN 1 ELSE CASE WHEN b > 1 THEN 2 ELSE 3 END END'),
      shown('CASE WHEN a > 1 THEN 1 WHEN b > 1 THEN 2 ELSE 3 END'),
      shown('CASE WHEN b > 1 THEN 2 WHEN a > 1 THEN 1 ELSE 3 END'),
    ],
    [
      'branches of one result',
      both,
      shown("CASE WHEN a = 1 THEN 'p' WHEN a = 2 THEN 'p' WHEN a = 3 THEN 'q' ELSE 'q' END"),
      shown("CASE WHEN a IN (1, 2) THEN 'p' ELSE 'q' END"),
      shown("CASE WHEN a = 1 THEN 'p' ELSE 'q' END"),
    ],
    [
      'the first that is given',
      both,
      shown('CASE WHEN a IS NOT NULL THEN a WHEN b IS NOT NULL THEN b ELSE 0 END'),
      shown('coalesce(a, coalesce(b, 0))'),
      shown('CASE WHEN b IS NOT NULL THEN b WHEN a IS NOT NULL THEN a ELSE 0 END'),
    ],
    [
      'a value but for one',
      ['duckdb'],
      shown('CASE WHEN a = 1 THEN NULL ELSE a END'),
      shown('CASE WHEN a <> 1 THEN a END'),
      shown('CASE WHEN a = 1 THEN a END'),
    ],
  ])
})
