import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { itKeepsRows } from '../../rule-tests.js'

describe('the rule date-conditions on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      ['duckdb'],
      "SELECT d FROM days WHERE strftime(d, '%Y-%m') IN ('2025-10', '2025-11', '2025-12')",
      "SELECT d FROM days WHERE d BETWEEN DATE '2025-10-01' AND DATE '2025-12-31'",
      "SELECT d FROM days WHERE strftime(d, '%Y-%m') IN ('2025-10', '2025-12')",
    ],
  ])
})
