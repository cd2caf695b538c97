import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule coalesce-into-sum on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT cid, coalesce(sum(a), 0) FROM t GROUP BY cid',
      'SELECT cid, sum(coalesce(a, 0)) FROM t GROUP BY cid',
      'SELECT cid, sum(a) FROM t GROUP BY cid',
    ],
    [
      both,
      "SELECT cid, sum(CASE WHEN s = 'paid' THEN x ELSE 0 END) FROM t GROUP BY cid",
      "SELECT cid, coalesce(sum(CASE WHEN s = 'paid' THEN x END), 0) FROM t GROUP BY cid",
      "SELECT cid, sum(CASE WHEN s = 'paid' THEN x END) FROM t GROUP BY cid",
    ],
  ])
})
