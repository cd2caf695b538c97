import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule row-number on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, x FROM (SELECT id, x, row_number() OVER (ORDER BY x DESC, id) AS r FROM t) AS q WHERE r = 2',
      'SELECT id, x FROM t ORDER BY x DESC, id LIMIT 1 OFFSET 1',
      'SELECT id, x FROM (SELECT id, x, row_number() OVER (ORDER BY x DESC, id DESC) AS r FROM t) AS q WHERE r = 2',
    ],
    [
      both,
      `SELECT cid, n FROM (SELECT cid, count(*) AS n, row_number() OVER (ORDER BY count(*) DESC, cid) AS r FROM t GROUP BY cid) AS q
       WHERE r = 1`,
      'SELECT cid, count(*) FROM t GROUP BY cid ORDER BY count(*) DESC, cid LIMIT 1',
      'SELECT cid, count(*) FROM t GROUP BY cid ORDER BY count(*), cid LIMIT 1',
    ],
    [
      both,
      'SELECT id FROM (SELECT id, row_number() OVER (ORDER BY x DESC, id) AS r FROM t) AS q WHERE r <= 3 ORDER BY r',
      'SELECT id FROM t ORDER BY x DESC, id LIMIT 3',
      'SELECT id FROM (SELECT id, row_number() OVER (ORDER BY x DESC, id) AS r FROM t) AS q WHERE r <= 2 ORDER BY r',
    ],
  ])
})
