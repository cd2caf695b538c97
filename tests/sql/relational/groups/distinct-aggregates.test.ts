import { describe } from 'vitest'
import { shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule distinct-aggregates on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'counts of distinct rows',
      'SELECT shop_id, count(day) FROM (SELECT DISTINCT shop_id, day FROM sale) x GROUP BY shop_id',
      'SELECT shop_id, count(DISTINCT day) FROM sale GROUP BY shop_id',
      'SELECT shop_id, count(day) FROM sale GROUP BY shop_id',
    ],
    [
      'sums over distinct rows',
      'SELECT sum(amount), count(*) FROM (SELECT DISTINCT amount FROM sale) x',
      'SELECT sum(DISTINCT amount), count(DISTINCT amount) FROM sale',
      'SELECT sum(amount), count(*) FROM (SELECT DISTINCT amount, id FROM sale) x',
    ],
  ])
})
