import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { duplicatesAndNulls, groupsWithTies } from '../../rule-tables.js'
import { both, describeRules, itKeepsRowsOfDuckdb, settingOf } from '../../rule-tests.js'

describe('the rule conditional-aggregates on groups with ties', () => {
  const grouped = (value: string): string => `SELECT g, ${value} FROM t GROUP BY g`

  describeRules(groupsWithTies, [
    [
      'sums of one number',
      both,
      grouped('sum(CASE WHEN a > 1 THEN 5 ELSE 0 END)'),
      grouped('5 * count(CASE WHEN a > 1 THEN 1 END)'),
      grouped('sum(CASE WHEN a > 1 THEN 5 ELSE 1 END)'),
    ],
  ])
})

describe('the rule conditional-aggregates on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'ones and zeros of groups, summed',
      'SELECT a, count(CASE WHEN b = 1 THEN 1 END) FROM t GROUP BY a ORDER BY 2',
      'SELECT a, sum(CASE WHEN b = 1 THEN 1 ELSE 0 END) FROM t GROUP BY a ORDER BY sum(CASE WHEN b = 1 THEN 1 ELSE 0 END)',
      'SELECT a, sum(CASE WHEN b = 1 THEN 1 END) FROM t GROUP BY a ORDER BY 2',
    ],
    [
      'ones and zeros, summed without groups',
      'SELECT count(CASE WHEN b = 1 THEN 1 END) FROM t',
      'SELECT count(*) FROM t WHERE b = 1',
      'SELECT sum(CASE WHEN b = 1 THEN 1 ELSE 0 END) FROM t',
    ],
    [
      'a condition of all aggregates',
      'SELECT sum(CASE WHEN b = 1 THEN a END), max(CASE WHEN b = 1 THEN id END) FROM t',
      'SELECT sum(a), max(id) FROM t WHERE b = 1',
      'SELECT sum(CASE WHEN b = 1 THEN a ELSE 0 END), max(CASE WHEN b = 1 THEN id END) FROM t',
    ],
  ])
})

it('a condition on a column of an outer query stays in the aggregate', async () => {
  const { parser, schema } = await settingOf(duplicatesAndNulls)
  const outer = 'SELECT (SELECT count(CASE WHEN t.a = 1 THEN 1 END) FROM u) FROM t'
  const moved = 'SELECT (SELECT count(*) FROM u WHERE t.a = 1) FROM t'
  expect(compareQueries(parser, outer, moved, 'duckdb', { schema }).kind).toBe('different')
})
