import { describe } from 'vitest'
import { groupsWithTies, shopsWithSales } from '../../rule-tables.js'
import { both, describeRules, itKeepsRowsOfSqlite } from '../../rule-tests.js'

describe('the rule single-row-aggregates on groups with ties', () => {
  describeRules(groupsWithTies, [
    [
      'rows of aggregates of two tables',
      both,
      'SELECT p.m, q.m FROM (SELECT max(a) AS m FROM t) AS p, (SELECT max(x) AS m FROM u) AS q',
      'SELECT (SELECT max(a) FROM t), (SELECT max(x) FROM u)',
      'SELECT max(a), max(x) FROM t, u',
    ],
  ])
})

describe('the rule single-row-aggregates on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'one row joined is a scalar subquery',
      'SELECT id FROM sale, (SELECT avg(amount) AS a FROM sale) x WHERE amount > x.a',
      'SELECT id FROM sale WHERE amount > (SELECT avg(amount) FROM sale)',
      'SELECT id FROM sale WHERE amount > (SELECT max(amount) FROM sale)',
    ],
    [
      'a condition on one row of aggregates',
      'SELECT n + 1 FROM (SELECT count(*) AS n FROM sale) x WHERE n > 7',
      'SELECT count(*) + 1 FROM sale HAVING count(*) > 7',
      'SELECT count(*) + 1 FROM sale HAVING count(*) > 5',
    ],
  ])
})
