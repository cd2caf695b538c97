import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule having-to-exists-test on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT cid FROM t GROUP BY cid HAVING max(x) > 6',
      'SELECT DISTINCT cid FROM t WHERE x > 6',
      'SELECT cid FROM t GROUP BY cid HAVING min(x) > 6',
    ],
    [
      both,
      "SELECT cid FROM t GROUP BY cid HAVING count(CASE WHEN s = 'paid' THEN 1 END) > 0",
      "SELECT DISTINCT cid FROM t WHERE s = 'paid'",
      "SELECT cid FROM t GROUP BY cid HAVING count(CASE WHEN s = 'paid' THEN 1 END) > 1",
    ],
    [
      both,
      'SELECT cid FROM t GROUP BY cid HAVING max(x) <= 7',
      'SELECT cid FROM t GROUP BY cid HAVING sum(CASE WHEN x > 7 THEN 1 ELSE 0 END) = 0',
      'SELECT DISTINCT cid FROM t WHERE x <= 7',
    ],
    [
      both,
      'SELECT cid, count(*) FROM t GROUP BY cid HAVING max(x) > 6',
      'SELECT cid, count(*) FROM t GROUP BY cid HAVING sum(CASE WHEN x > 6 THEN 1 ELSE 0 END) > 0',
      'SELECT cid, count(*) FROM t WHERE x > 6 GROUP BY cid',
    ],
  ])
})
