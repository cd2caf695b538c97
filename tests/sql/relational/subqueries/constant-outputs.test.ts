import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule constant-outputs on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT q.k, sum(q.x) FROM (SELECT DISTINCT 6 AS k, x FROM t) AS q, c GROUP BY q.k',
      'SELECT 6, sum(q.x) FROM (SELECT DISTINCT x FROM t) AS q, c GROUP BY 1',
      'SELECT 6, sum(q.x) FROM (SELECT x FROM t) AS q, c GROUP BY 1',
    ],
  ])
})
