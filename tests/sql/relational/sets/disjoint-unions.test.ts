import { describe } from 'vitest'
import { shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule disjoint-unions on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'UNION of rows that cannot be the same is UNION ALL of distinct rows',
      "SELECT 'shop', city FROM shop UNION SELECT 'sale', day FROM sale",
      "SELECT DISTINCT 'shop', city FROM shop UNION ALL SELECT DISTINCT 'sale', day FROM sale",
      "SELECT 'shop', city FROM shop UNION ALL SELECT 'sale', day FROM sale",
    ],
  ])
})
