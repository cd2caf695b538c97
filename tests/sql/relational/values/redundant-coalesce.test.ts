import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders, duplicatesAndNulls } from '../../rule-tables.js'
import { both, itKeepsRows, itKeepsRowsOfDuckdb, settingOf } from '../../rule-tests.js'

describe('the rule redundant-coalesce on customers with orders', () => {
  const beside = (value: string): string => `SELECT id, ${value} AS n FROM c`

  itKeepsRows(customersWithOrders, [
    // A count is never NULL.
    [
      both,
      beside('(SELECT count(*) FROM t WHERE t.cid = c.id)'),
      beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id), 0)'),
      beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid), -1)'),
    ],
    [
      both,
      beside('(SELECT count(t.a) FROM t WHERE t.cid = c.id)'),
      beside('coalesce((SELECT count(t.a) FROM t WHERE t.cid = c.id), 0)'),
      beside('(SELECT count(*) FROM t WHERE t.cid = c.id)'),
    ],
    [
      both,
      beside('(SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid)'),
      beside('(SELECT count(*) FROM t WHERE c.id = t.cid GROUP BY cid)'),
      beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid), 0)'),
    ],
  ])
})

describe('the rule redundant-coalesce on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'a default that cannot be asked for',
      'SELECT id FROM t WHERE a > 1',
      'SELECT id FROM t WHERE coalesce(a, 0) > 1',
      'SELECT id FROM t WHERE coalesce(a, 2) > 1',
    ],
    [
      'a default that is asked for',
      'SELECT id FROM t WHERE a < 2 OR a IS NULL',
      'SELECT id FROM t WHERE coalesce(a, 0) < 2',
      'SELECT id FROM t WHERE coalesce(a, 2) < 2',
    ],
    [
      'defaults of defaults',
      'SELECT coalesce(a, b, id) FROM t',
      'SELECT coalesce(coalesce(a, b), a, id) FROM t',
      'SELECT coalesce(coalesce(b, a), id) FROM t',
    ],
  ])
})

it('a default that fails a comparison is dropped except where types are loose', async () => {
  const { parser, schema } = await settingOf(duplicatesAndNulls)
  const [given, plain] = ['SELECT id FROM t WHERE coalesce(b, 0) > 1', 'SELECT id FROM t WHERE b > 1']
  expect(compareQueries(parser, given, plain, 'duckdb', { schema }).kind).toBe('equal')
  expect(compareQueries(parser, given, plain, 'sqlite', { schema }).kind).toBe('different')
})
