import { describe } from 'vitest'
import { rankedRows, rowsWithMatches } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule left-join-counts on rows with matches', () => {
  const left = (shown: string, on = '', rest = 'GROUP BY t.g'): string =>
    `SELECT ${shown} FROM t LEFT JOIN u ON u.tid = t.id${on} ${rest}`

  itKeepsRows(rowsWithMatches, [
    [
      both,
      left('t.g, count(u.tid)', " AND u.k = 'x'"),
      left("t.g, sum(CASE WHEN u.k = 'x' THEN 1 ELSE 0 END)"),
      left("t.g, sum(CASE WHEN u.k = 'x' THEN 1 END)"),
    ],
    // How often a row occurs matters to a sum of its own.
    [
      both,
      left('t.g, sum(t.x), count(u.id)', " AND u.k = 'x'"),
      left('sum(t.x), count(u.tid), t.g', " AND 'x' = u.k"),
      left("t.g, sum(t.x), count(CASE WHEN u.k = 'x' THEN u.id END)"),
    ],
    [both, left('t.g, count(u.id)'), left('t.g, count(u.tid)'), left('t.g, count(u.v)')],
  ])
})

describe('the rule left-join-counts on ranked rows', () => {
  itKeepsRows(rankedRows, [
    [
      both,
      'SELECT t.id, count(u.y), sum(u.y) FROM t LEFT JOIN u ON u.tid = t.id AND u.y > 1 GROUP BY t.id',
      `SELECT t.id, (SELECT count(u.y) FROM u WHERE u.tid = t.id AND u.y > 1),
       (SELECT sum(u.y) FROM u WHERE u.tid = t.id AND u.y > 1) FROM t`,
      'SELECT t.id, count(u.y), sum(u.y) FROM t LEFT JOIN u ON u.tid = t.id WHERE u.y > 1 GROUP BY t.id',
    ],
  ])
})
