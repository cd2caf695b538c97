import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders } from '../../rule-tables.js'
import { itKeepsRows, settingOf } from '../../rule-tests.js'

describe('the rule bucket-cases on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      ['duckdb'],
      "SELECT id, CASE WHEN x < 3 THEN 'low' WHEN x BETWEEN 3 AND 7 THEN 'mid' ELSE 'high' END FROM t",
      "SELECT id, CASE WHEN x > 7 THEN 'high' WHEN x < 3 THEN 'low' ELSE 'mid' END FROM t",
      "SELECT id, CASE WHEN x < 3 THEN 'low' WHEN x < 7 THEN 'mid' ELSE 'high' END FROM t",
    ],
    [
      ['duckdb'],
      "SELECT id, CASE WHEN a < 3 THEN 'low' WHEN a >= 3 AND a <= 4 THEN 'mid' ELSE 'high' END FROM t",
      "SELECT id, CASE WHEN a <= 2 THEN 'low' WHEN a <= 4 THEN 'mid' ELSE 'high' END FROM t",
      "SELECT id, CASE WHEN a > 4 THEN 'high' WHEN a >= 3 THEN 'mid' ELSE 'low' END FROM t",
    ],
    [
      ['duckdb'],
      "SELECT id, CASE WHEN x >= 6 THEN 'big' WHEN x < 6 THEN 'small' END FROM t",
      "SELECT id, CASE WHEN x >= 6 THEN 'big' ELSE 'small' END FROM t",
      "SELECT id, CASE WHEN x > 6 THEN 'big' ELSE 'small' END FROM t",
    ],
    [
      ['duckdb'],
      "SELECT id, CASE WHEN a >= 3 THEN 'big' WHEN a < 3 THEN 'small' END FROM t",
      "SELECT id, CASE WHEN a < 3 THEN 'small' WHEN a > 2 THEN 'big' END FROM t",
      "SELECT id, CASE WHEN a >= 3 THEN 'big' ELSE 'small' END FROM t",
    ],
    [
      ['duckdb'],
      'SELECT id, CASE WHEN a < 5 THEN 1 WHEN a >= 5 THEN 1 END FROM t',
      'SELECT id, CASE WHEN a < 5 OR a >= 5 THEN 1 END FROM t',
      'SELECT id, CASE WHEN a - 1 THEN 1 END FROM t',
    ],
    [
      ['duckdb'],
      'SELECT id, CASE WHEN a - 1 < 5 THEN 1 WHEN a - 1 >= 5 THEN 1 END FROM t',
      'SELECT id, CASE WHEN a - 1 < 5 OR a - 1 >= 5 THEN 1 END FROM t',
      'SELECT id, CASE WHEN a - 1 THEN 1 END FROM t',
    ],
  ])
})

it('is not applied beside an aggregate over no rows, where SQLite shows NULL for what is never NULL', async () => {
  const { parser, schema } = await settingOf(customersWithOrders)
  const one = "SELECT CASE WHEN x < 5 THEN 'low' ELSE 'high' END, count(*) FROM t"
  const other = "SELECT CASE WHEN x >= 5 THEN 'high' ELSE 'low' END, count(*) FROM t"
  expect(compareQueries(parser, one, other, 'sqlite', { schema }).kind).not.toBe('equal')
})
