import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule left-joins on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'of the side that an anti join leaves out all is NULL',
      'SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.x WHERE u.x IS NULL',
      'SELECT t.a, NULL FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a)',
      'SELECT t.a, t.b FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.a)',
    ],
  ])
})
