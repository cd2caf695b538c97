import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule not-exists-greater on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS o WHERE o.cid = t.cid AND o.x > t.x)',
      'SELECT id FROM t WHERE x = (SELECT max(o.x) FROM t AS o WHERE o.cid = t.cid)',
      'SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS o WHERE o.cid = t.cid AND o.x < t.x)',
    ],
    [
      both,
      'SELECT t.id FROM t LEFT JOIN t AS o ON o.cid = t.cid AND o.x < t.x WHERE o.id IS NULL',
      'SELECT id FROM t WHERE x = (SELECT min(o.x) FROM t AS o WHERE o.cid = t.cid)',
      'SELECT t.id FROM t LEFT JOIN t AS o ON o.s = t.s AND o.x < t.x WHERE o.id IS NULL',
    ],
  ])
})
