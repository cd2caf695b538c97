import { describe } from 'vitest'
import { rowsWithMatches } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule merge-exists-tests on rows with matches', () => {
  const some = (test: string): string => `EXISTS (SELECT 1 FROM u WHERE u.tid = t.id AND ${test})`
  const chosen = (test: string): string => `SELECT id FROM t WHERE ${test}`

  itKeepsRows(rowsWithMatches, [
    [
      both,
      chosen(`${some("u.k = 'x'")} OR ${some('u.v > 3')}`),
      chosen(some("(u.k = 'x' OR u.v > 3)")),
      chosen(some("u.k = 'x' AND u.v > 3")),
    ],
    [
      both,
      chosen(`${some("u.k = 'x'")} OR x = 7 OR ${some("u.k = 'y'")}`),
      chosen(`x = 7 OR ${some("u.k IN ('x', 'y')")}`),
      chosen(`x = 7 OR ${some("u.k NOT IN ('x', 'y')")}`),
    ],
    [
      both,
      chosen(`NOT ${some("u.k = 'x'")} AND NOT ${some("u.k = 'y'")}`),
      chosen(`NOT ${some("u.k IN ('x', 'y')")}`),
      chosen(`NOT ${some("u.k = 'x'")} OR NOT ${some("u.k = 'y'")}`),
    ],
    [
      both,
      chosen(`${some("u.k = 'x'")} AND ${some("u.k = 'y'")}`),
      chosen(`${some("'y' = u.k")} AND ${some("u.k = 'x'")}`),
      chosen(some("u.k IN ('x', 'y')")),
    ],
    [
      both,
      chosen(`x IN (SELECT v FROM u WHERE k = 'x') OR x IN (SELECT v FROM u WHERE w = 2)`),
      chosen(`x IN (SELECT v FROM u WHERE k = 'x' OR w = 2)`),
      chosen(`x IN (SELECT v FROM u WHERE k = 'x' AND w = 2)`),
    ],
    [
      both,
      chosen(`x NOT IN (SELECT v FROM u WHERE k = 'x') AND x NOT IN (SELECT v FROM u WHERE w = 1)`),
      chosen(`NOT (x IN (SELECT v FROM u WHERE w = 1 OR k = 'x'))`),
      chosen(`x NOT IN (SELECT v FROM u WHERE w = 1 AND k = 'x')`),
    ],
    [
      both,
      'SELECT id, x IN (SELECT v FROM u WHERE k = s) OR x IN (SELECT v FROM u WHERE w = 2) AS p FROM t',
      'SELECT id, x IN (SELECT v FROM u WHERE k = s OR w = 2) AS p FROM t',
      'SELECT id, x IN (SELECT v FROM u WHERE k = s) AND x IN (SELECT v FROM u WHERE w = 2) AS p FROM t',
    ],
    [
      both,
      chosen(`${some("u.k = 'x'")} OR EXISTS (SELECT 1 FROM u WHERE u.tid = t.id)`),
      chosen('id IN (SELECT tid FROM u)'),
      chosen(some("u.k = 'x'")),
    ],
    [
      both,
      chosen(`x IN (SELECT v FROM u WHERE k = 'x') OR x IN (SELECT w FROM u WHERE k = 'y')`),
      chosen(`x IN (SELECT w FROM u WHERE k = 'y') OR x IN (SELECT v FROM u WHERE 'x' = k)`),
      chosen(`x IN (SELECT v FROM u WHERE k IN ('x', 'y'))`),
    ],
  ])
})
