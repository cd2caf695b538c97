import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule null-safe-equality on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    // Equal, NULLs included, where one of the two is never NULL.
    [
      both,
      'SELECT c.id, t.id FROM c JOIN t ON c.id = t.a',
      'SELECT c.id, t.id FROM c JOIN t ON c.id IS NOT DISTINCT FROM t.a',
      'SELECT c.id, t.id FROM c JOIN t ON c.g IS NOT DISTINCT FROM t.a',
    ],
    [
      both,
      'SELECT c.id, t.id FROM c LEFT JOIN t ON c.id = t.a',
      'SELECT c.id, t.id FROM c LEFT JOIN t ON t.a IS NOT DISTINCT FROM c.id',
      'SELECT c.id, t.id FROM c LEFT JOIN t ON t.a IS NOT DISTINCT FROM c.g',
    ],
    [
      both,
      'SELECT a.id, b.id FROM c AS a, t AS b WHERE a.g = b.a',
      'SELECT a.id, b.id FROM c AS a, t AS b WHERE a.g IS NOT DISTINCT FROM b.a AND b.a IS NOT NULL',
      'SELECT a.id, b.id FROM c AS a, t AS b WHERE a.g IS NOT DISTINCT FROM b.a',
    ],
  ])
})
