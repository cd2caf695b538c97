import { describe } from 'vitest'
import { customersWithOrders, groupsWithTies } from '../../rule-tables.js'
import { both, describeRules, itKeepsRows } from '../../rule-tests.js'

describe('the rule redundant-window-keys on customers with orders', () => {
  const grouped = (value: string): string => `SELECT cid, ${value} AS n FROM t GROUP BY cid`

  itKeepsRows(customersWithOrders, [
    [
      both,
      `SELECT cid, sum(n) OVER (ORDER BY cid) FROM (${grouped('count(*)')}) AS d`,
      'SELECT cid, sum(count(*)) OVER (ORDER BY cid ROWS UNBOUNDED PRECEDING) FROM t GROUP BY cid',
      'SELECT cid, sum(count(*)) OVER (ORDER BY cid ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t GROUP BY cid',
    ],
  ])
})

describe('the rule redundant-window-keys on groups with ties', () => {
  const over = (window: string): string => `SELECT id, sum(a) OVER (${window}) FROM t`
  const shown = (value: string): string => `SELECT id, ${value} FROM t`

  describeRules(groupsWithTies, [
    [
      'a frame of the rows so far, ordered by a key',
      both,
      over('ORDER BY id ROWS UNBOUNDED PRECEDING'),
      over('ORDER BY id'),
      over('ORDER BY g'),
    ],
    [
      'keys of windows that say nothing',
      both,
      over('PARTITION BY g, 1 ORDER BY id, b'),
      over('PARTITION BY g ORDER BY id'),
      over('PARTITION BY g ORDER BY b'),
    ],
    [
      'ranks of what never ties',
      both,
      shown('rank() OVER (PARTITION BY g ORDER BY a, id)'),
      shown('row_number() OVER (PARTITION BY g ORDER BY a, id)'),
      shown('rank() OVER (PARTITION BY g ORDER BY a)'),
    ],
  ])
})
