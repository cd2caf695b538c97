import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders } from '../../rule-tables.js'
import { settingOf } from '../../rule-tests.js'

describe('groups of which SQLite shows some row', () => {
  it.each([
    [
      'SELECT cid, s FROM t GROUP BY cid HAVING max(x) > 6',
      'SELECT cid, s FROM t GROUP BY cid HAVING count(CASE WHEN x > 6 THEN 1 END) > 0',
    ],
    [
      'SELECT c.name, sum(d.n) FROM c JOIN (SELECT cid, sum(x) AS n FROM t GROUP BY cid) AS d ON d.cid = c.id',
      'SELECT c.name, sum(t.x) FROM c JOIN t ON t.cid = c.id',
    ],
  ])('are not rewritten, as it need not be the same row: %s and %s', async (one, other) => {
    const { parser, schema } = await settingOf(customersWithOrders)
    expect(compareQueries(parser, one, other, 'sqlite', { schema }).kind).not.toBe('equal')
  })
})
