import { describe } from 'vitest'
import { customersWithOrders, groupsWithTies } from '../../rule-tables.js'
import { both, describeRules, itKeepsRows } from '../../rule-tests.js'

describe('the rule partition-windows on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, x - avg(x) OVER (PARTITION BY cid) FROM t',
      'SELECT t.id, t.x - d.n FROM t JOIN (SELECT cid, avg(x) AS n FROM t GROUP BY cid) AS d ON d.cid = t.cid',
      'SELECT id, x - avg(x) OVER (PARTITION BY s) FROM t',
    ],
    [
      both,
      'SELECT id FROM (SELECT id, x, avg(x) OVER (PARTITION BY cid) AS m FROM t) AS q WHERE x > m',
      'SELECT id FROM t WHERE x > (SELECT avg(o.x) FROM t AS o WHERE o.cid = t.cid)',
      'SELECT id FROM t WHERE x > (SELECT avg(o.x) FROM t AS o)',
    ],
    [
      both,
      'SELECT id, count(*) OVER (PARTITION BY cid), sum(x) OVER (PARTITION BY cid) FROM t',
      'SELECT t.id, d.n, d.m FROM t JOIN (SELECT cid, count(*) AS n, sum(x) AS m FROM t GROUP BY cid) AS d ON d.cid = t.cid',
      'SELECT id, count(*) OVER (PARTITION BY cid), sum(x) OVER (PARTITION BY cid ORDER BY id) FROM t',
    ],
    [
      both,
      'SELECT DISTINCT cid, min(x) OVER (PARTITION BY cid) FROM t',
      'SELECT cid, min(x) FROM t GROUP BY cid',
      'SELECT cid, max(x) FROM t GROUP BY cid',
    ],
  ])
})

describe('the rule partition-windows on groups with ties', () => {
  const over = (window: string): string => `SELECT id, sum(a) OVER (${window}) FROM t`

  describeRules(groupsWithTies, [
    [
      'a frame of all rows',
      both,
      over('PARTITION BY g ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING'),
      over('PARTITION BY g'),
      over('PARTITION BY g ORDER BY id'),
    ],
  ])
})
