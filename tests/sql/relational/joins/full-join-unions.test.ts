import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule full-join-unions on duplicates and NULLs', () => {
  const union = (left: string, right: string): string =>
    `SELECT t.a, u.x FROM ${left} UNION ALL SELECT t.a, u.x FROM ${right}`

  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'a full join is a left join and what is left of the other side',
      'SELECT t.a, u.x FROM t FULL JOIN u ON t.a = u.x AND u.y > 1',
      union(
        't LEFT JOIN u ON t.a = u.x AND u.y > 1',
        't RIGHT JOIN u ON t.a = u.x AND u.y > 1 WHERE t.a IS NULL',
      ),
      union('t LEFT JOIN u ON t.a = u.x AND u.y > 1', 't RIGHT JOIN u ON t.a = u.x WHERE t.a IS NULL'),
    ],
    [
      'a full join whose other side is asked for with NOT EXISTS',
      'SELECT count(*) FROM t FULL JOIN u ON t.a = u.x',
      `SELECT count(*) FROM (SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.x UNION ALL
       SELECT NULL, u.x FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.x)) AS q`,
      `SELECT count(*) FROM (SELECT t.a, u.x FROM t LEFT JOIN u ON t.a = u.x UNION ALL
       SELECT NULL, u.x FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.x AND t.b = 1)) AS q`,
    ],
    [
      'a column that may be NULL in a match is no sign of a missing one',
      'SELECT t.a, u.x FROM t FULL JOIN u ON t.a = u.x',
      union('t LEFT JOIN u ON t.a = u.x', 't RIGHT JOIN u ON t.a = u.x WHERE t.id IS NULL'),
      union('t LEFT JOIN u ON t.a = u.x', 't RIGHT JOIN u ON t.a = u.x WHERE t.b IS NULL'),
    ],
  ])
})
