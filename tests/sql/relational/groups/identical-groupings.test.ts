import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule identical-groupings on customers with orders', () => {
  const grouped = (value: string): string => `SELECT cid, ${value} AS n FROM t GROUP BY cid`

  itKeepsRows(customersWithOrders, [
    [
      both,
      `SELECT d.cid, d.n, e.m FROM (${grouped('count(*)')}) AS d JOIN (SELECT cid, max(x) AS m FROM t GROUP BY cid) AS e ON e.cid = d.cid`,
      'SELECT cid, count(*), max(x) FROM t GROUP BY cid',
      `SELECT d.cid, d.n, e.m FROM (${grouped('count(*)')}) AS d JOIN (SELECT cid, max(x) AS m FROM t GROUP BY cid) AS e ON e.cid > d.cid`,
    ],
    [
      both,
      `SELECT d.a, d.n, e.m FROM (SELECT a, count(*) AS n FROM t GROUP BY a) AS d JOIN (SELECT a, max(x) AS m FROM t GROUP BY a) AS e
       ON e.a = d.a`,
      'SELECT a, count(*), max(x) FROM t WHERE a IS NOT NULL GROUP BY a',
      'SELECT a, count(*), max(x) FROM t GROUP BY a',
    ],
  ])
})
