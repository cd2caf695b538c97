import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule integer-bounds on customers with orders', () => {
  const numbered = (test: string): string =>
    `SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY cid ORDER BY a DESC, id) AS r FROM t) AS q WHERE ${test}`
  const ranked = (test: string): string =>
    `SELECT id FROM (SELECT id, rank() OVER (ORDER BY cid, x DESC) AS r FROM t) AS q WHERE ${test}`

  itKeepsRows(customersWithOrders, [
    // The first place, asked for as a bound.
    [both, numbered('r = 1'), numbered('r <= 1'), numbered('r <= 2')],
    [both, numbered('r = 1'), numbered('r < 2'), numbered('r < 3')],
    [both, ranked('r = 1'), ranked('2 > r'), ranked('r >= 1')],
    [
      ['duckdb'],
      'SELECT id FROM u WHERE p > 1.5',
      'SELECT id FROM u WHERE NOT p <= 1.5',
      'SELECT id FROM u WHERE p >= 3',
    ],
    [
      both,
      'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r <= 2',
      'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r < 3',
      'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r < 2',
    ],
  ])
})
