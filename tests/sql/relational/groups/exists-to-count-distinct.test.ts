import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule exists-to-count-distinct on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      "SELECT count(*) FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'paid')",
      "SELECT count(DISTINCT c.id) FROM c JOIN t ON t.cid = c.id WHERE t.s = 'paid'",
      "SELECT count(*) FROM c JOIN t ON t.cid = c.id WHERE t.s = 'paid'",
    ],
    [
      both,
      'SELECT g, count(*), max(name) FROM c WHERE EXISTS (SELECT 1 FROM t WHERE t.cid = c.id) GROUP BY g',
      'SELECT c.g, count(DISTINCT t.cid), max(c.name) FROM c JOIN t ON t.cid = c.id GROUP BY c.g',
      'SELECT c.g, count(t.cid), max(c.name) FROM c JOIN t ON t.cid = c.id GROUP BY c.g',
    ],
  ])
})
