import { describe } from 'vitest'
import { customersWithOrders } from '../../rule-tables.js'
import { itKeepsRows } from '../../rule-tests.js'

describe('the rule day-differences on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      ['duckdb'],
      "SELECT date_diff('day', d, DATE '2026-01-31') AS n FROM days",
      "SELECT DATE '2026-01-31' - d AS n FROM days",
      "SELECT d - DATE '2026-01-31' AS n FROM days",
    ],
  ])
})
