import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { customersWithOrders } from '../rule-tables.js'
import { settingOf } from '../rule-tests.js'

describe('queries that are equal under an assumption about the data', () => {
  it.each([
    [
      'SELECT id FROM t WHERE a > 2',
      'SELECT id FROM t WHERE a >= 3',
      'sqlite',
      't.a holds whole numbers only',
    ],
    [
      'SELECT id, avg(x) OVER (PARTITION BY a) FROM t',
      'SELECT t.id, d.n FROM t JOIN (SELECT a, avg(x) AS n FROM t GROUP BY a) AS d ON d.a = t.a',
      'duckdb',
      't.a is never NULL',
    ],
    [
      "SELECT strftime(d, '%Y-%m'), count(*) FROM days GROUP BY 1",
      'SELECT substr(CAST(d AS varchar), 1, 7), count(*) FROM days GROUP BY 1',
      'duckdb',
      'days.d holds times of the years 1 to 9999',
    ],
  ] as const)('%s is %s in %s only where %s', async (one, same, dialect, assumption) => {
    const { parser, schema } = await settingOf(customersWithOrders)
    expect(compareQueries(parser, one, same, dialect, { schema })).toMatchObject({
      kind: 'equal_if',
      assumptions: [assumption],
    })
  })
})
