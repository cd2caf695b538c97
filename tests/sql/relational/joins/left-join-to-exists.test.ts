import { describe } from 'vitest'
import { duplicatesAndNulls, shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb, itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule left-join-to-exists on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'an outer join with one row at most',
      'SELECT t.id, EXISTS (SELECT 1 FROM u WHERE u.x > 1) FROM t',
      `SELECT t.id, CASE WHEN q.i IS NOT NULL THEN TRUE ELSE FALSE END
       FROM t LEFT JOIN (SELECT TRUE AS i FROM u WHERE u.x > 1 GROUP BY TRUE) AS q ON TRUE`,
      `SELECT t.id, CASE WHEN q.i IS NOT NULL THEN TRUE ELSE FALSE END
       FROM t LEFT JOIN (SELECT TRUE AS i FROM u WHERE u.x > 1) AS q ON TRUE`,
    ],
  ])
})

describe('the rule left-join-to-exists on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'a left join that is only asked whether it matched',
      `SELECT shop.id FROM shop LEFT JOIN (SELECT DISTINCT shop_id FROM sale) s ON s.shop_id = shop.id
      WHERE s.shop_id IS NOT NULL OR city = 'Rome'`,
      "SELECT id FROM shop WHERE EXISTS (SELECT 1 FROM sale WHERE shop_id = shop.id) OR city = 'Rome'",
      `SELECT shop.id FROM shop LEFT JOIN sale s ON s.shop_id = shop.id WHERE s.shop_id IS NOT NULL OR city = 'Rome'`,
    ],
  ])
})
