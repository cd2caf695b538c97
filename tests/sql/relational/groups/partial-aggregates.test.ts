import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { shopsWithSales } from '../../rule-tables.js'
import { itKeepsRowsOfSqlite, settingOf } from '../../rule-tests.js'

describe('the rule partial-aggregates on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'sums of sums over parts',
      `SELECT n, sum(s) FROM (SELECT day AS n, sum(id) AS s FROM sale GROUP BY day
      UNION ALL SELECT day, sum(amount) FROM sale GROUP BY day) u GROUP BY n`,
      `SELECT n, sum(s) FROM (SELECT day AS n, id AS s FROM sale UNION ALL SELECT day, amount FROM sale) u GROUP BY n`,
      `SELECT n, max(s) FROM (SELECT day AS n, sum(id) AS s FROM sale GROUP BY day
      UNION ALL SELECT day, sum(amount) FROM sale GROUP BY day) u GROUP BY n`,
    ],
    [
      'sums of counts of finer groups',
      'SELECT city, sum(n) FROM (SELECT city, name, count(*) AS n FROM shop GROUP BY city, name) x GROUP BY city',
      'SELECT city, count(*) FROM shop GROUP BY city',
      'SELECT city, count(n) FROM (SELECT city, name, count(*) AS n FROM shop GROUP BY city, name) x GROUP BY city',
    ],
  ])
})

it('a sum of no counts, which is NULL, is not a count', async () => {
  const { parser, schema } = await settingOf(shopsWithSales)
  const partial = 'SELECT sum(n) FROM (SELECT city, count(*) AS n FROM shop GROUP BY city) x'
  const finding = compareQueries(parser, partial, 'SELECT count(*) FROM shop', 'sqlite', { schema })
  expect(finding.kind).toBe('different')
})
