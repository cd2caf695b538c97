import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { loadSqlParser, replaceTables } from '../../../src/sql/index.js'

const parser = await loadSqlParser()

/** Replaces every table by `t_NAME`; unknown ones are those whose name begins with x. */
function replaced(sql: string, dialect: Dialect = 'postgres'): string {
  const outcome = parser.tokenize(sql, dialect)
  if (outcome.kind === 'failed') throw new Error(outcome.message)
  const found = replaceTables(sql, outcome.tokens, (parts) => {
    const name = parts.at(-1)?.toLowerCase() ?? ''
    return name.startsWith('x') ? undefined : { name: `t_${name}` }
  })
  return found.kind === 'sql' ? found.sql : `failed: ${found.message}`
}

describe('tables that a query reads are replaced', () => {
  it.each([
    ['SELECT * FROM orders', 'SELECT * FROM t_orders AS orders'],
    ['SELECT * FROM orders o', 'SELECT * FROM t_orders o'],
    ['SELECT * FROM orders AS "My o"', 'SELECT * FROM t_orders AS "My o"'],
    ['SELECT orders.id FROM shop.orders, items i', 'SELECT orders.id FROM t_orders AS orders, t_items i'],
    [
      'SELECT shop.orders.id, shop.orders.* FROM shop.orders',
      'SELECT orders.id, orders.* FROM t_orders AS orders',
    ],
    [
      'SELECT a FROM (orders JOIN items ON orders.id = items.id) LEFT JOIN Shops USING (id)',
      'SELECT a FROM (t_orders AS orders JOIN t_items AS items ON orders.id = items.id) LEFT JOIN t_shops AS Shops USING (id)',
    ],
    [
      'SELECT extract(year FROM day), a IS DISTINCT FROM b FROM orders WHERE x IN (SELECT y FROM items)',
      'SELECT extract(year FROM day), a IS DISTINCT FROM b FROM t_orders AS orders WHERE x IN (SELECT y FROM t_items AS items)',
    ],
    [
      'SELECT * FROM orders, unnest(orders.tags) AS u(tag), LATERAL (SELECT 1 FROM items) l',
      'SELECT * FROM t_orders AS orders, unnest(orders.tags) AS u(tag), LATERAL (SELECT 1 FROM t_items AS items) l',
    ],
    ['SELECT 1 FROM orders ORDER BY a, b', 'SELECT 1 FROM t_orders AS orders ORDER BY a, b'],
    [
      "SELECT 'FROM orders' FROM orders -- FROM items",
      "SELECT 'FROM orders' FROM t_orders AS orders -- FROM items",
    ],
    [
      'SELECT a FROM orders UNION ALL (SELECT b FROM items LIMIT 1)',
      'SELECT a FROM t_orders AS orders UNION ALL (SELECT b FROM t_items AS items LIMIT 1)',
    ],
  ])('%s', (sql, expected) => {
    expect(replaced(sql)).toBe(expected)
  })

  it.each([
    // Within its own definition, a name still means the table, unless it is recursive.
    [
      'WITH orders AS (SELECT * FROM orders WHERE a) SELECT * FROM orders JOIN items ON true',
      'WITH orders AS (SELECT * FROM t_orders AS orders WHERE a) SELECT * FROM orders JOIN t_items AS items ON true',
    ],
    [
      'WITH RECURSIVE orders (a) AS (SELECT 1 UNION SELECT a FROM orders) SELECT * FROM orders',
      'WITH RECURSIVE orders (a) AS (SELECT 1 UNION SELECT a FROM orders) SELECT * FROM orders',
    ],
    [
      'WITH a AS NOT MATERIALIZED (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, shop.a',
      'WITH a AS NOT MATERIALIZED (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, t_a AS a',
    ],
    [
      'SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) q, orders',
      'SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) q, t_orders AS orders',
    ],
  ])('tables of WITH are left alone: %s', (sql, expected) => {
    expect(replaced(sql)).toBe(expected)
  })

  it('in the quotes of other dialects', () => {
    expect(replaced('SELECT `shop`.`orders`.`id` FROM `shop`.`orders`', 'mysql')).toBe(
      'SELECT `orders`.`id` FROM t_orders AS `orders`',
    )
  })

  it.each([
    ['SELECT * FROM xyz', 'failed: it reads xyz'],
    ['SELECT * FROM orders TABLESAMPLE SYSTEM (1)', 'failed: it reads orders with TABLESAMPLE'],
  ])('what has no replacement is said: %s', (sql, expected) => {
    expect(replaced(sql)).toBe(expected)
  })
})
