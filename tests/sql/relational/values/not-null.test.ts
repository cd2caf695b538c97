import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule not-null on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id FROM t WHERE x IS NULL OR x > 6',
      'SELECT id FROM t WHERE x > 6',
      'SELECT id FROM t WHERE a IS NULL OR x > 6',
    ],
  ])
})
