import { describe } from 'vitest'
import { duplicatesAndNulls, groupsWithTies } from '../../rule-tables.js'
import { both, describeRules, itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule union-all on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'a condition on the columns of a UNION',
      both,
      'SELECT q.a FROM (SELECT a FROM t UNION SELECT x FROM u) AS q WHERE q.a > 1',
      'SELECT a FROM t WHERE a > 1 UNION SELECT x FROM u WHERE x > 1',
      'SELECT a FROM t WHERE a > 1 UNION SELECT x FROM u',
    ],
  ])
})

describe('the rule union-all on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'DISTINCT rows of UNION ALL',
      'SELECT DISTINCT * FROM (SELECT a, b FROM t UNION ALL SELECT x, y FROM u) AS q',
      'SELECT a, b FROM t UNION SELECT x, y FROM u',
      'SELECT a, b FROM t UNION ALL SELECT x, y FROM u',
    ],
  ])
})
