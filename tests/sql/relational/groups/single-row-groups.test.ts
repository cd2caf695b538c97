import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule single-row-groups on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, sum(x), count(*), count(a) FROM t GROUP BY id HAVING max(x) > 5',
      'SELECT id, x, 1, CASE WHEN a IS NULL THEN 0 ELSE 1 END FROM t WHERE x > 5',
      'SELECT id, x, 1, 1 FROM t WHERE x > 5',
    ],
  ])
})
