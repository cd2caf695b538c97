import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule redundant-key-not-null on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id FROM (SELECT id, a, x, max(x) OVER (PARTITION BY a) AS m FROM t) AS q WHERE x = m AND a IS NOT NULL',
      'SELECT id FROM t WHERE x = (SELECT max(o.x) FROM t AS o WHERE o.a = t.a)',
      'SELECT id FROM (SELECT id, a, x, max(x) OVER (PARTITION BY a) AS m FROM t) AS q WHERE x = m',
    ],
  ])
})
