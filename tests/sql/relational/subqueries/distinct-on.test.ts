import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders } from '../../rule-tables.js'
import { itKeepsRows, settingOf } from '../../rule-tests.js'

describe('the rule distinct-on on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      ['duckdb'],
      'SELECT DISTINCT ON (cid) cid, x FROM t ORDER BY cid, x DESC, id',
      'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x DESC, id) AS r FROM t) AS q WHERE r = 1 ORDER BY cid',
      'SELECT cid, x FROM (SELECT cid, x, row_number() OVER (PARTITION BY cid ORDER BY x, id) AS r FROM t) AS q WHERE r = 1 ORDER BY cid',
    ],
    [
      ['duckdb'],
      'SELECT DISTINCT ON (a) a, id FROM t ORDER BY a DESC, id',
      'SELECT a, id FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY id) = 1 ORDER BY a DESC',
      'SELECT a, id FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY id DESC) = 1 ORDER BY a DESC',
    ],
  ])
})

it('rows of DISTINCT ON keep their order where that does not begin with all keys', async () => {
  const { parser, schema } = await settingOf(customersWithOrders)
  const one = 'SELECT DISTINCT ON (cid, s) cid, s, x FROM t ORDER BY cid, cid, x DESC'
  const other =
    'SELECT cid, s, x FROM t QUALIFY row_number() OVER (PARTITION BY cid, s ORDER BY x DESC) = 1 ORDER BY cid'
  expect(compareQueries(parser, one, other, 'duckdb', { schema }).kind).not.toBe('equal')
})
