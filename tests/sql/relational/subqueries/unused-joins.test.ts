import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule unused on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'a row of aggregates that nobody reads',
      'SELECT 1 FROM (SELECT sum(a) FROM t) AS q',
      'SELECT 1 FROM (SELECT max(x) FROM u) AS q',
      'SELECT 1 FROM (SELECT a FROM t) AS q',
    ],
  ])
})
