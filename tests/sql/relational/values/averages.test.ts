import { describe } from 'vitest'
import { groupsWithTies, rowsWithMatches } from '../../rule-tables.js'
import { both, describeRules, itKeepsRows } from '../../rule-tests.js'

describe('the rule averages on rows with matches', () => {
  itKeepsRows(rowsWithMatches, [
    [
      both,
      'SELECT avg(CASE WHEN x > 4 THEN 1.0 ELSE 0.0 END) FROM t',
      'SELECT sum(CASE WHEN x > 4 THEN 1 ELSE 0 END) * 1.0 / count(*) FROM t',
      'SELECT sum(CASE WHEN x > 4 THEN 1 ELSE 0 END) * 1.0 / count(x) FROM t',
    ],
    [
      both,
      'SELECT g, avg(CASE WHEN x > 4 THEN 1.0 ELSE 0 END) FROM t GROUP BY g',
      'SELECT g, avg(CASE WHEN x > 4 THEN 1 ELSE 0 END) FROM t GROUP BY g',
      'SELECT g, avg(CASE WHEN x > 4 THEN 1 END) FROM t GROUP BY g',
    ],
    [
      both,
      'SELECT avg(CASE WHEN x > 4 THEN 2.50 WHEN x > 1 THEN 3.0 ELSE 4.0 END) FROM t',
      'SELECT avg(CASE WHEN x > 4 THEN 2.50 WHEN x > 1 THEN 3 ELSE 4 END) FROM t',
      'SELECT avg(CASE WHEN x > 4 THEN 25 WHEN x > 1 THEN 3 ELSE 4 END) FROM t',
    ],
  ])
})

describe('the rule averages on groups with ties', () => {
  const grouped = (value: string): string => `SELECT g, ${value} FROM t GROUP BY g`

  describeRules(groupsWithTies, [
    [
      'shares of groups',
      both,
      grouped('avg(CASE WHEN a > 1 THEN 100.0 ELSE 0.0 END)'),
      grouped('100.0 * sum(CASE WHEN a > 1 THEN 1 ELSE 0 END) / count(*)'),
      grouped('avg(CASE WHEN a > 1 THEN 100.0 END)'),
    ],
  ])
})
