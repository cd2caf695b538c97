import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { rankedRows } from '../../rule-tables.js'
import { both, itKeepsRows, settingOf } from '../../rule-tests.js'

describe('the rule left-aggregates on ranked rows', () => {
  itKeepsRows(rankedRows, [
    [
      both,
      'SELECT t.g, count(u.id) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id, t.g',
      'SELECT t.g, (SELECT count(*) FROM u WHERE u.tid = t.id) FROM t',
      'SELECT t.g, count(*) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id, t.g',
    ],
    [
      both,
      'SELECT t.id, coalesce(q.n, 0) FROM t LEFT JOIN (SELECT tid, count(*) AS n FROM u GROUP BY tid) AS q ON q.tid = t.id',
      'SELECT t.id, count(u.id) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id',
      'SELECT t.id, q.n FROM t LEFT JOIN (SELECT tid, count(*) AS n FROM u GROUP BY tid) AS q ON q.tid = t.id',
    ],
    [
      both,
      'SELECT t.id, q.m FROM t LEFT JOIN (SELECT tid, max(y) AS m FROM u GROUP BY tid) AS q ON q.tid = t.id',
      'SELECT t.id, (SELECT max(y) FROM u WHERE u.tid = t.id) FROM t',
      'SELECT t.id, q.m FROM t JOIN (SELECT tid, max(y) AS m FROM u GROUP BY tid) AS q ON q.tid = t.id',
    ],
    [
      both,
      'SELECT t.id FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id HAVING count(u.id) < 2',
      'SELECT t.id FROM t WHERE (SELECT count(*) FROM u WHERE u.tid = t.id) < 2',
      'SELECT t.id FROM t JOIN u ON u.tid = t.id GROUP BY t.id HAVING count(u.id) < 2',
    ],
    [
      both,
      'SELECT t.id, (SELECT sum(u.y) FROM u WHERE u.tid = t.id) FROM t',
      'SELECT t.id, sum(u.y) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id',
      'SELECT t.id, sum(CASE WHEN u.y IS NULL THEN 0 ELSE u.y END) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id',
    ],
    [
      both,
      'SELECT t.a, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t',
      'SELECT t.a, coalesce(q.n, 0) FROM t LEFT JOIN (SELECT a, count(*) AS n FROM u GROUP BY a) AS q ON q.a = t.a',
      'SELECT t.a, count(u.id) FROM t LEFT JOIN u ON u.a = t.a GROUP BY t.a',
    ],
  ])
})

it('a row without a match is no assumption about its table', async () => {
  const { parser } = await settingOf(rankedRows)
  const count = (what: string): string =>
    `SELECT t.id, count(${what}) FROM t LEFT JOIN u ON u.tid = t.id GROUP BY t.id`
  expect(compareQueries(parser, count('u.id'), count('*'), 'duckdb').kind).toBe('different')
  expect(compareQueries(parser, count('t.g'), count('*'), 'duckdb').kind).toBe('equal_if')
})
