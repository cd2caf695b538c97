import { describe } from 'vitest'
import { shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule group-by-simplification on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'constant grouping keys',
      'SELECT max(amount) FROM sale GROUP BY 4 + 1, 7 + 1',
      'SELECT max(amount) FROM sale GROUP BY 2 + 3',
      'SELECT max(amount) FROM sale GROUP BY amount',
    ],
  ])
})
