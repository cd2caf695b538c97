import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule lift-scalar-functions on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT name, (SELECT coalesce(sum(x), 0) FROM t WHERE t.cid = c.id) FROM c',
      'SELECT c.name, coalesce(d.n, 0) FROM c LEFT JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id',
      'SELECT name, (SELECT sum(x) FROM t WHERE t.cid = c.id) FROM c',
    ],
  ])
})
