import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule lookups on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, (SELECT c.name FROM c WHERE c.id = t.cid) FROM t',
      'SELECT t.id, c.name FROM t LEFT JOIN c ON c.id = t.cid',
      'SELECT t.id, c.name FROM t JOIN c ON c.id = t.cid',
    ],
    [
      both,
      'SELECT id FROM t WHERE (SELECT g FROM c WHERE c.id = t.cid) = 1',
      'SELECT t.id FROM t JOIN c ON c.id = t.cid WHERE c.g = 1',
      'SELECT t.id FROM t JOIN c ON c.g = t.cid WHERE c.id = 1',
    ],
    [
      both,
      'SELECT cid, (SELECT name FROM c WHERE c.id = t.cid), count(*) FROM t GROUP BY cid',
      'SELECT t.cid, c.name, count(*) FROM t LEFT JOIN c ON c.id = t.cid GROUP BY t.cid, c.name',
      'SELECT t.cid, c.name, count(c.id) FROM t LEFT JOIN c ON c.id = t.cid GROUP BY t.cid, c.name',
    ],
    [
      both,
      'SELECT sum(q * (SELECT x FROM t WHERE t.id = u.tid)) FROM u',
      'SELECT sum(u.q * t.x) FROM u LEFT JOIN t ON t.id = u.tid',
      'SELECT sum(u.q * t.x) FROM t LEFT JOIN u ON t.cid = u.tid',
    ],
  ])
})
