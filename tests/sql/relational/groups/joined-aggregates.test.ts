import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule joined-aggregates on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT c.g, sum(d.n) FROM c JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id GROUP BY c.g',
      'SELECT c.g, sum(t.x) FROM c JOIN t ON t.cid = c.id GROUP BY c.g',
      'SELECT c.g, max(d.n) FROM c JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id GROUP BY c.g',
    ],
    [
      both,
      `SELECT c.g, sum(d.n), max(d.m) FROM c JOIN (SELECT cid, count(*) AS n, max(x) AS m FROM t WHERE a > 0 GROUP BY cid) AS d
       ON d.cid = c.id GROUP BY c.g`,
      'SELECT c.g, count(*), max(t.x) FROM c JOIN t ON t.cid = c.id WHERE t.a > 0 GROUP BY c.g',
      `SELECT c.g, count(*), max(d.m) FROM c JOIN (SELECT cid, count(*) AS n, max(x) AS m FROM t WHERE a > 0 GROUP BY cid) AS d
       ON d.cid = c.id GROUP BY c.g`,
    ],
  ])
})
