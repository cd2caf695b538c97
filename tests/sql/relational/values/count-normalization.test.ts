import { describe } from 'vitest'
import { customersWithOrders, groupsWithTies } from '../../rule-tables.js'
import { both, describeRules, itKeepsRows } from '../../rule-tests.js'

describe('the rule count-normalization on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT count(*) - count(a) FROM t',
      'SELECT count(*) FROM t WHERE a IS NULL',
      'SELECT count(*) FROM t WHERE a IS NOT NULL',
    ],
    [
      both,
      'SELECT cid FROM t GROUP BY cid HAVING count(*) = count(a)',
      'SELECT cid FROM t GROUP BY cid HAVING count(CASE WHEN a IS NULL THEN 1 END) = 0',
      'SELECT cid FROM t GROUP BY cid HAVING count(*) > count(a)',
    ],
  ])
})

describe('the rule count-normalization on groups with ties', () => {
  const grouped = (value: string): string => `SELECT g, ${value} FROM t GROUP BY g`

  describeRules(groupsWithTies, [
    [
      'counting what is given',
      both,
      grouped('count(*) FILTER (WHERE a IS NOT NULL)'),
      grouped('count(a)'),
      grouped('count(*) FILTER (WHERE b IS NOT NULL)'),
    ],
    [
      'counting with sum() of no rows',
      both,
      'SELECT coalesce(sum(CASE WHEN a > 1 THEN 1 ELSE 0 END), 0) FROM t',
      'SELECT count(*) FROM t WHERE a > 1',
      'SELECT sum(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t',
    ],
    [
      'the greatest of distinct values',
      ['duckdb'],
      grouped('max(DISTINCT a)'),
      grouped('max(a)'),
      grouped('sum(DISTINCT a)'),
    ],
  ])
})
