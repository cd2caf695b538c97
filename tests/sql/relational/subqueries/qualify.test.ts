import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule qualify', () => {
  itKeepsRowsOfDuckdb(
    duplicatesAndNulls,
    [
      [
        'QUALIFY as a condition on a derived table',
        'SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY id) = 1',
        'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY a ORDER BY id) AS r FROM t) WHERE r = 1',
        'SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY b ORDER BY id) AS r FROM t) WHERE r = 1',
      ],
      [
        'QUALIFY of groups, with an order',
        'SELECT a, count(*) FROM t GROUP BY a QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1 ORDER BY max(id) LIMIT 1',
        `SELECT a, n FROM (SELECT a, count(*) AS n, max(id) AS m, rank() OVER (ORDER BY count(*) DESC) AS r
         FROM t GROUP BY a) WHERE r = 1 ORDER BY m LIMIT 1`,
        `SELECT a, n FROM (SELECT a, count(*) AS n, max(id) AS m, rank() OVER (ORDER BY count(*)) AS r
         FROM t GROUP BY a) WHERE r = 1 ORDER BY m DESC LIMIT 1`,
      ],
    ],
    ['duckdb'],
  )
})
