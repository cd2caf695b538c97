import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders, rankedRows } from '../../rule-tables.js'
import { both, itKeepsRows, settingOf } from '../../rule-tests.js'

describe('the rule rank-to-extreme on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      `SELECT cid, n FROM (SELECT cid, sum(x) AS n, rank() OVER (ORDER BY sum(x) DESC) AS r FROM t GROUP BY cid) AS q WHERE r = 1`,
      'SELECT cid, sum(x) FROM t GROUP BY cid HAVING sum(x) = (SELECT max(n) FROM (SELECT sum(x) AS n FROM t GROUP BY cid) AS q)',
      'SELECT cid, sum(x) FROM t GROUP BY cid HAVING sum(x) = (SELECT max(x) FROM t)',
    ],
  ])
})

describe('the rule rank-to-extreme on ranked rows', () => {
  const ranked = (call: string, from = 't'): string =>
    `SELECT id, g, x FROM (SELECT id, g, x, ${call} AS r FROM ${from}) AS q WHERE r = 1`
  const best = (test: string, of = 'max(o.x)'): string =>
    `SELECT id, g, x FROM t WHERE x = (SELECT ${of} FROM t AS o ${test})`
  const counts = 'SELECT g, a, count(*) AS n FROM t GROUP BY g, a'

  itKeepsRows(rankedRows, [
    [
      both,
      ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)'),
      best('WHERE o.g = t.g'),
      ranked('row_number() OVER (PARTITION BY g ORDER BY x DESC)'),
    ],
    [
      both,
      ranked('dense_rank() OVER (PARTITION BY g ORDER BY x)'),
      'SELECT t.id, t.g, t.x FROM t JOIN (SELECT g, min(x) AS m FROM t GROUP BY g) AS q ON q.g = t.g AND q.m = t.x',
      best('WHERE o.g = t.g'),
    ],
    [
      both,
      ranked('rank() OVER (ORDER BY x DESC)'),
      best(''),
      ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)'),
    ],
    [
      both,
      ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)', 't WHERE b IS NOT NULL'),
      `${best('WHERE o.g = t.g AND o.b IS NOT NULL')} AND b IS NOT NULL`,
      `${best('WHERE o.g = t.g')} AND b IS NOT NULL`,
    ],
    [
      both,
      ranked('row_number() OVER (PARTITION BY g ORDER BY id DESC)'),
      'SELECT id, g, x FROM t WHERE id = (SELECT max(o.id) FROM t AS o WHERE o.g = t.g)',
      ranked('row_number() OVER (PARTITION BY g ORDER BY x DESC)'),
    ],
    [
      both,
      `SELECT g, a, n FROM (SELECT g, a, count(*) AS n, rank() OVER (PARTITION BY g ORDER BY count(*) DESC) AS r
       FROM t GROUP BY g, a) AS q WHERE r = 1`,
      `WITH c AS (${counts}) SELECT c.g, c.a, c.n FROM c JOIN (SELECT g, max(n) AS m FROM c GROUP BY g) AS q
       ON q.g = c.g AND q.m = c.n`,
      `WITH c AS (${counts}) SELECT g, a, n FROM c WHERE n = (SELECT max(n) FROM c)`,
    ],
    [
      ['duckdb'],
      'SELECT * FROM t QUALIFY rank() OVER (PARTITION BY g ORDER BY x DESC) = 1',
      'SELECT * FROM t WHERE x = (SELECT max(o.x) FROM t AS o WHERE o.g = t.g)',
      'SELECT * FROM t QUALIFY rank() OVER (PARTITION BY g ORDER BY x DESC) = 2',
    ],
  ])
})

describe('the rule rank-to-extreme without a schema', () => {
  const ranked = (call: string): string =>
    `SELECT id, g, x FROM (SELECT id, g, x, ${call} AS r FROM t) AS q WHERE r = 1`
  const best = (test: string): string =>
    `SELECT id, g, x FROM t WHERE x = (SELECT max(o.x) FROM t AS o ${test})`

  it.each([
    [
      ranked('rank() OVER (PARTITION BY g ORDER BY x DESC)'),
      best('WHERE o.g = t.g'),
      ['t.g, by which rows are ranked, is never NULL', 't.x, by which rows are ranked, is never NULL'],
    ],
    [
      ranked('row_number() OVER (ORDER BY x DESC)'),
      best(''),
      ['no two rows share the largest t.x', 't.x, which orders the rows, is never NULL'],
    ],
  ])('%s is %s only under its assumptions', async (one, same, assumptions) => {
    const { parser } = await settingOf(rankedRows)
    expect(compareQueries(parser, one, same, 'duckdb')).toMatchObject({ kind: 'equal_if', assumptions })
  })
})
