import { describe } from 'vitest'
import { shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule empty on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'operands without rows',
      'SELECT id FROM shop UNION ALL SELECT id FROM sale WHERE FALSE',
      'SELECT id FROM shop',
      'SELECT id FROM shop UNION ALL SELECT id FROM sale WHERE TRUE',
    ],
    [
      'membership in nothing',
      'SELECT id FROM shop WHERE id NOT IN (SELECT id FROM sale WHERE 1 = 2)',
      'SELECT id FROM shop',
      'SELECT id FROM shop WHERE id IN (SELECT id FROM sale WHERE 1 = 2)',
    ],
    [
      'LIMIT 0',
      'SELECT name FROM shop ORDER BY id LIMIT 0',
      'SELECT name FROM shop WHERE FALSE',
      'SELECT name FROM shop LIMIT 1',
    ],
    [
      'an aggregate of no rows is a row',
      'SELECT count(*) FROM shop WHERE FALSE AND id = 1',
      'SELECT count(*) FROM shop WHERE FALSE',
      'SELECT count(*) FROM shop LIMIT 0',
    ],
  ])
})
