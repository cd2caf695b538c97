import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { customersWithOrders, rankedRows, shopsWithSales } from '../../rule-tables.js'
import { both, itKeepsRows, itKeepsRowsOfSqlite, settingOf } from '../../rule-tests.js'

describe('the rule set-operation-rules on customers with orders', () => {
  itKeepsRows(customersWithOrders, [
    [
      both,
      "SELECT name FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'paid' INTERSECT SELECT cid FROM t WHERE s = 'open')",
      `SELECT name FROM c WHERE EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'paid')
       AND EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'open')`,
      "SELECT name FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'paid' UNION SELECT cid FROM t WHERE s = 'open')",
    ],
    [
      both,
      "SELECT name FROM c WHERE id IN (SELECT cid FROM t WHERE s = 'open' EXCEPT SELECT cid FROM t WHERE s = 'paid')",
      `SELECT name FROM c WHERE EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'open')
       AND NOT EXISTS (SELECT 1 FROM t WHERE t.cid = c.id AND t.s = 'paid')`,
      "SELECT name FROM c WHERE id NOT IN (SELECT cid FROM t WHERE s = 'paid')",
    ],
    [
      both,
      "SELECT id FROM t EXCEPT SELECT id FROM t WHERE s = 'paid'",
      "SELECT id FROM t WHERE s <> 'paid'",
      "SELECT id FROM t WHERE s <> 'open'",
    ],
    [
      both,
      'SELECT id FROM t EXCEPT SELECT id FROM t WHERE a > 2',
      'SELECT id FROM t WHERE a <= 2 OR a IS NULL',
      'SELECT id FROM t WHERE a <= 2',
    ],
  ])
})

describe('the rule set-operation-rules on ranked rows', () => {
  itKeepsRows(rankedRows, [
    [
      both,
      'SELECT id, b FROM t WHERE a = 1 UNION ALL SELECT id, b FROM t WHERE a = 2',
      'SELECT id, b FROM t WHERE a IN (1, 2)',
      'SELECT id, b FROM t WHERE a IN (1, 2) UNION ALL SELECT id, b FROM t WHERE a = 2',
    ],
    [
      both,
      'SELECT g, count(*) FROM (SELECT g FROM t WHERE a > 1 UNION ALL SELECT g FROM t WHERE a <= 1) AS q GROUP BY g',
      'SELECT g, count(*) FROM t WHERE a IS NOT NULL GROUP BY g',
      'SELECT g, count(*) FROM t GROUP BY g',
    ],
    [
      both,
      'SELECT id FROM t WHERE a IS NULL UNION ALL SELECT id FROM t WHERE a <= 1',
      'SELECT id FROM t WHERE a IS NULL OR a <= 1',
      'SELECT id FROM t WHERE a IS NULL UNION ALL SELECT id FROM t WHERE b <= 2',
    ],
    [
      both,
      'SELECT id FROM t WHERE a = 1 UNION ALL SELECT id FROM t WHERE b = 2 AND a = 9',
      'SELECT id FROM t WHERE a = 1 OR (b = 2 AND a = 9)',
      'SELECT id FROM t WHERE a = 1 UNION ALL SELECT id FROM t WHERE b = 1',
    ],
  ])
})

describe('the rule set-operation-rules on shops with sales', () => {
  itKeepsRowsOfSqlite(shopsWithSales, [
    [
      'the order of columns in a union that names them',
      `SELECT n FROM (SELECT name AS n, id AS i FROM shop UNION ALL SELECT day, amount FROM sale) u WHERE i > 2`,
      `SELECT n FROM (SELECT id AS i, name AS n FROM shop UNION ALL SELECT amount, day FROM sale) u WHERE i > 2`,
      `SELECT n FROM (SELECT id AS i, name AS n FROM shop UNION ALL SELECT id, day FROM sale) u WHERE i > 2`,
    ],
  ])
})

it('columns of a union whose operands differ only in their order keep their places', async () => {
  const { parser, schema } = await settingOf(shopsWithSales)
  const union = (a: string, b: string): string => `(SELECT ${a} FROM shop UNION ALL SELECT ${b} FROM sale)`
  const [a, b] = [union('id, name', 'id, day'), union('name, id', 'day, id')]
  const kind = (one: string, other: string) => compareQueries(parser, one, other, 'sqlite', { schema }).kind
  expect(kind(`SELECT * FROM ${a}`, `SELECT * FROM ${b}`)).toBe('equal')
  const swapped = 'SELECT a FROM (SELECT a, b FROM t UNION ALL SELECT b, a FROM t) x'
  const straight = 'SELECT a FROM (SELECT a, b FROM t UNION ALL SELECT a, b FROM t) x'
  expect(compareQueries(parser, swapped, straight, 'sqlite').kind).toBe('different')
})
