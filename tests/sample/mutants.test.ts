import { expect, it } from 'vitest'
import { mutantsOf, type Tables } from './mutants.js'

const tables: Tables = new Map([
  [
    'shop.sales',
    new Map([
      ['market', 'VARCHAR'],
      ['city', 'VARCHAR'],
      ['day', 'DATE'],
      ['amount', 'DOUBLE'],
    ]),
  ],
])

const labels = (sql: string) => mutantsOf(sql, tables).map(({ label }) => label)

it('drops each condition of WHERE, HAVING and ON, and takes BETWEEN for one', () => {
  const sql = `SELECT 1 FROM shop.sales s JOIN shop.sales t ON s.x = t.x AND s.y = 1
    WHERE s.z BETWEEN 1 AND 2 AND (s.a = 1 OR s.b = 2) GROUP BY 1 HAVING count(*) > 1 ORDER BY 1`
  expect(labels(sql)).toEqual([
    'drop s.x = t.x',
    'drop s.y = 1',
    'drop s.z BETWEEN 1 AND 2',
    'drop (s.a = 1 OR s.b = 2)',
    'drop count(*) > 1',
  ])
})

it('puts TRUE where a condition stood and leaves the rest as it was', () => {
  const [first] = mutantsOf("SELECT 1 FROM shop.sales WHERE 'a' = 'b' AND 1 = 1", tables)
  expect(first?.sql).toBe('SELECT 1 FROM shop.sales WHERE TRUE AND 1 = 1')
})

it('swaps aggregates and drops DISTINCT, but counts rows only as rows', () => {
  expect(labels('SELECT count(DISTINCT x), count(*) FROM shop.sales')).toEqual([
    'aggregate 1 (count) to sum',
    'aggregate 1 (count) to avg',
    'aggregate 1 (count) to min',
    'aggregate 1 (count) to max',
    'aggregate 1 (count) without distinct',
  ])
})

it('swaps a column for its neighbours of the same type, one mention at a time and all at once', () => {
  const sql = "SELECT s.market AS city, day FROM shop.sales AS s WHERE s.market = 'ID'"
  expect(mutantsOf(sql, tables).slice(1)).toEqual([
    {
      label: 'shop.sales.market to city in mention 1',
      sql: "SELECT s.city AS city, day FROM shop.sales AS s WHERE s.market = 'ID'",
    },
    {
      label: 'shop.sales.market to city in mention 2',
      sql: "SELECT s.market AS city, day FROM shop.sales AS s WHERE s.city = 'ID'",
    },
    {
      label: 'shop.sales.market to city everywhere',
      sql: "SELECT s.city AS city, day FROM shop.sales AS s WHERE s.city = 'ID'",
    },
  ])
})
