import { describe } from 'vitest'
import { customersWithOrders, duplicatesAndNulls } from '../../rule-tables.js'
import { both, itKeepsRows, itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule unpartitioned-windows on customers with orders', () => {
  const grouped = (value: string): string => `SELECT cid, ${value} AS n FROM t GROUP BY cid`

  itKeepsRows(customersWithOrders, [
    [
      both,
      `SELECT cid, n * 1.0 / sum(n) OVER () FROM (${grouped('count(*)')}) AS d`,
      'SELECT cid, count(*) * 1.0 / (SELECT count(*) FROM t) FROM t GROUP BY cid',
      `SELECT cid, n * 1.0 / (SELECT count(*) FROM c) FROM (${grouped('count(*)')}) AS d`,
    ],
  ])
})

describe('the rule unpartitioned-windows on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'a window of all rows',
      'SELECT id, sum(a) OVER (), count(*) OVER () FROM t WHERE b > 1',
      'SELECT id, (SELECT sum(a) FROM t WHERE b > 1), (SELECT count(*) FROM t WHERE b > 1) FROM t WHERE b > 1',
      'SELECT id, (SELECT sum(a) FROM t), (SELECT count(*) FROM t) FROM t WHERE b > 1',
    ],
    [
      'a window of all groups',
      'SELECT a, sum(count(*)) OVER () FROM t GROUP BY a',
      'SELECT a, (SELECT count(*) FROM t) FROM t GROUP BY a',
      'SELECT a, count(*) OVER () FROM t GROUP BY a',
    ],
  ])
})
