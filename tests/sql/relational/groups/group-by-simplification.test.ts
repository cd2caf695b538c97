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
    [
      'grouping keys that a condition makes constant, in either order',
      'SELECT max(amount) FROM sale WHERE shop_id = 1 AND id < 9 AND amount = 5 GROUP BY shop_id, amount',
      'SELECT max(amount) FROM sale WHERE shop_id = 1 AND id < 9 AND amount = 5 GROUP BY amount, shop_id',
      'SELECT max(amount) FROM sale WHERE shop_id = 1 AND id < 9 GROUP BY shop_id, amount',
    ],
    [
      'one grouping key that a condition makes constant',
      'SELECT max(amount) FROM sale WHERE shop_id = 77 GROUP BY shop_id',
      'SELECT max(amount) FROM sale WHERE shop_id = 77 GROUP BY 2 + 3',
      'SELECT max(amount) FROM sale WHERE shop_id = 77',
    ],
  ])
})
