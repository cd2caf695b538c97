import { describe } from 'vitest'
import { groupsWithTies } from '../../rule-tables.js'
import { both, describeRules } from '../../rule-tests.js'

describe('the rule merge-scalar-subqueries on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'scalar subqueries of one table',
      both,
      'SELECT (SELECT count(*) FROM t WHERE g = 1 AND a > 1) AS p, (SELECT sum(b) FROM t WHERE g = 1) AS q',
      'SELECT count(CASE WHEN a > 1 AND g = 1 THEN 1 END) AS p, sum(CASE WHEN g = 1 THEN b END) AS q FROM t',
      'SELECT count(CASE WHEN a > 1 THEN 1 END) AS p, sum(b) AS q FROM t',
    ],
    [
      'joined rows of aggregates',
      both,
      `WITH p AS (SELECT count(*) AS n FROM t WHERE a > 1), q AS (SELECT count(DISTINCT g) AS n FROM t)
       SELECT p.n + q.n FROM p CROSS JOIN q`,
      'SELECT count(CASE WHEN a > 1 THEN 1 END) + count(DISTINCT g) FROM t',
      'SELECT count(CASE WHEN a > 1 THEN 1 END) + count(DISTINCT CASE WHEN a > 1 THEN g END) FROM t',
    ],
    [
      'scalar subqueries beside an aggregate, not beside each row',
      both,
      'SELECT sum(b) + (SELECT count(*) FROM t WHERE a > 1) FROM t',
      'SELECT sum(b) + count(CASE WHEN a > 1 THEN 1 END) FROM t',
      'SELECT (SELECT sum(b) FROM t) + (SELECT count(*) FROM t WHERE a > 1) FROM t',
    ],
    [
      'a scalar subquery without FROM, not of each row of a derived table',
      both,
      'SELECT n FROM (SELECT (SELECT count(*) FROM t WHERE a > 1) AS n) AS d',
      'SELECT count(*) FROM t WHERE a > 1',
      'SELECT n FROM (SELECT (SELECT count(*) FROM t WHERE a > 1) AS n FROM t) AS d',
    ],
  ])
})
