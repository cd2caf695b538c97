import { describe } from 'vitest'
import { shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule inner-distinct on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'DISTINCT that nobody sees',
      'SELECT DISTINCT city FROM (SELECT DISTINCT name, city FROM shop) x',
      'SELECT DISTINCT city FROM shop',
      'SELECT city FROM (SELECT DISTINCT name, city FROM shop) x',
    ],
    [
      'DISTINCT of all that is listed',
      "SELECT city, name FROM (SELECT DISTINCT name, city FROM shop) x WHERE city = 'Oslo'",
      "SELECT DISTINCT city, name FROM shop WHERE city = 'Oslo'",
      "SELECT city FROM (SELECT DISTINCT name, city FROM shop) x WHERE city = 'Oslo'",
    ],
  ])
})
