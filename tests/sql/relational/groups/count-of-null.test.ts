import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule count-of-null on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    ['counting NULLs gives 0, and one row', 'SELECT count(NULL) FROM t', 'SELECT 0', 'SELECT 0 FROM t'],
    [
      'counting NULLs in groups',
      'SELECT a, count(a = NULL) FROM t GROUP BY a',
      'SELECT a, 0 FROM t GROUP BY a',
      'SELECT a, 0 FROM t',
    ],
  ])
})
