import { describe } from 'vitest'
import { groupsWithTies } from '../../rule-tables.js'
import { both, describeRules } from '../../rule-tests.js'

describe('the rule filter-pushdown on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'a condition on the keys of partitions',
      both,
      'SELECT q.id, q.n FROM (SELECT id, g, count(*) OVER (PARTITION BY g) AS n FROM t) AS q WHERE q.g = 1',
      'SELECT id, count(*) OVER (PARTITION BY g) FROM t WHERE g = 1',
      'SELECT id, count(*) OVER (PARTITION BY g) FROM t WHERE a = 1',
    ],
    [
      'a condition on distinct rows',
      both,
      'SELECT q.a FROM (SELECT DISTINCT a, b FROM t) AS q WHERE q.b > 1',
      'SELECT q.a FROM (SELECT DISTINCT a, b FROM t WHERE b > 1) AS q',
      'SELECT DISTINCT a FROM t WHERE b > 1',
    ],
    [
      'a condition on the aggregates of joined groups',
      both,
      'SELECT t.id, q.n FROM t JOIN (SELECT x, count(*) AS n FROM u GROUP BY x) AS q ON q.x = t.a WHERE q.n > 1',
      'SELECT t.id, q.n FROM t JOIN (SELECT x, count(*) AS n FROM u GROUP BY x HAVING count(*) > 1) AS q ON q.x = t.a',
      'SELECT t.id, q.n FROM t LEFT JOIN (SELECT x, count(*) AS n FROM u GROUP BY x HAVING count(*) > 1) AS q ON q.x = t.a',
    ],
  ])
})
