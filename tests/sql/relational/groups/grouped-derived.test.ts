import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule grouped-derived on customers with orders', () => {
  const grouped = (value: string): string => `SELECT cid, ${value} AS n FROM t GROUP BY cid`

  itKeepsRows(customersWithOrders, [
    [
      both,
      `WITH d AS (${grouped('sum(x)')}) SELECT cid, n, n - lag(n) OVER (ORDER BY cid) FROM d`,
      'SELECT cid, sum(x), sum(x) - lag(sum(x)) OVER (ORDER BY cid) FROM t GROUP BY cid',
      'SELECT cid, sum(x), sum(x) - lead(sum(x)) OVER (ORDER BY cid) FROM t GROUP BY cid',
    ],
    [
      both,
      `WITH d AS (${grouped('sum(x)')}) SELECT cid, rank() OVER (ORDER BY n DESC) FROM d WHERE n > 8`,
      'SELECT cid, rank() OVER (ORDER BY sum(x) DESC) FROM t GROUP BY cid HAVING sum(x) > 8',
      'SELECT cid, rank() OVER (ORDER BY sum(x) DESC) FROM t WHERE x > 8 GROUP BY cid',
    ],
    [
      both,
      'SELECT name FROM c WHERE (SELECT count(*) FROM t WHERE t.cid = c.id) > 1',
      'SELECT c.name FROM c JOIN t ON t.cid = c.id GROUP BY c.id, c.name HAVING count(*) >= 2',
      'SELECT name FROM c WHERE (SELECT count(*) FROM t WHERE t.cid = c.id) > 2',
    ],
  ])
})
