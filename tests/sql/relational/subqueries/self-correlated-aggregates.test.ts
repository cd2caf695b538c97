import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule self-correlated-aggregates on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, x - avg(x) OVER (PARTITION BY cid) FROM t',
      'SELECT id, x - (SELECT avg(o.x) FROM t AS o WHERE o.cid = t.cid) FROM t',
      "SELECT id, x - (SELECT avg(o.x) FROM t AS o WHERE o.cid = t.cid AND o.s = 'paid') FROM t",
    ],
  ])
})
