import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders, groupsWithTies } from '../../rule-tables.js'
import { both, describeRules, itKeepsRows, settingOf } from '../../rule-tests.js'

describe('the rule lag-defaults on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      'SELECT id, lag(x, 1, 0) OVER (PARTITION BY cid ORDER BY id) AS n FROM t',
      'SELECT id, coalesce(lag(x) OVER (PARTITION BY cid ORDER BY id), 0) AS n FROM t',
      'SELECT id, coalesce(lag(x) OVER (PARTITION BY cid ORDER BY id), 1) AS n FROM t',
    ],
    [
      both,
      'SELECT cid, lead(sum(x), 2, 0) OVER (ORDER BY cid) AS n FROM t GROUP BY cid',
      'SELECT cid, coalesce(lead(sum(x), 2) OVER (ORDER BY cid), 0) AS n FROM t GROUP BY cid',
      'SELECT cid, coalesce(lead(sum(x)) OVER (ORDER BY cid), 0) AS n FROM t GROUP BY cid',
    ],
  ])
})

describe('the rule lag-defaults on groups with ties', () => {
  const shown = (value: string): string => `SELECT id, ${value} FROM t`

  describeRules(groupsWithTies, [
    [
      'the row before',
      both,
      shown('lag(a) OVER (ORDER BY id)'),
      shown('lag(a, 1, NULL) OVER (ORDER BY id)'),
      shown('lag(a, 1, 0) OVER (ORDER BY id)'),
    ],
  ])
})

it.each([
  ['a column that may be NULL', 'lag(a, 1, 0) OVER (ORDER BY id)', 'coalesce(lag(a) OVER (ORDER BY id), 0)'],
  ['another type', 'lag(x, 1, 0.5) OVER (ORDER BY id)', 'coalesce(lag(x) OVER (ORDER BY id), 0.5)'],
])('a default of lag() is not one of coalesce() for %s', async (_what, one, other) => {
  const { parser, schema } = await settingOf(customersWithOrders)
  const [asked, instead] = [one, other].map((value) => `SELECT id, ${value} AS n FROM t`)
  expect(compareQueries(parser, asked ?? '', instead ?? '', 'duckdb', { schema }).kind).not.toBe('equal')
})
