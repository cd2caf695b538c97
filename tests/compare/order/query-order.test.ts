import { describe, expect, it } from 'vitest'
import { queryOrder } from '../../../src/compare/order/query-order.js'
import type { Dialect } from '../../../src/enums/dialect.js'
import { loadSqlParser } from '../../../src/sql/index.js'

async function orderOf(sql: string, dialect: Dialect = 'duckdb') {
  return queryOrder(await loadSqlParser(), sql, dialect)
}

/** Result columns of these names, without rows. */
const result = (...names: string[]) => ({
  columns: names.map((name) => ({ name, type: '' })),
  rows: [],
  cut: null,
})

describe('the order of rows', () => {
  it.each<[string, Dialect]>([
    ['PIVOT o ON market USING sum(amount) GROUP BY id ORDER BY id', 'duckdb'],
    ['SELECT a FROM t WHERE b = {{x}} ORDER BY a', 'ansi'],
    ['FROM t |> SELECT a |> ORDER BY a |> LIMIT 3', 'bigquery'],
    ['SELEC a FRM t ORDER BY a', 'ansi'],
    ['((SELEC a FRM t ORDER BY a));', 'ansi'],
    ["SELECT a FROM t WHERE b = 'open ORDER BY a", 'ansi'],
  ])(
    'counts, with a note, where the query cannot be parsed but its tokens have ORDER BY: %s',
    async (sql, dialect) => {
      const found = await orderOf(sql, dialect)
      expect(found.order).toBe('ordered')
      expect(found.columnsIn(result('a'))).toBeUndefined()
      expect(found.note).toContain('cannot be parsed')
    },
  )

  it.each([
    'SELEC a FRM (SELECT a FROM t ORDER BY a) x',
    "SELEC 'x ORDER BY a' FRM t",
    'SELEC a FRM t -- ORDER BY a',
    'SELEC "ORDER" BY FRM t',
    'SELEC rank() OVER (ORDER BY a) FRM t',
  ])('does not count for words in brackets, texts and comments: %s', async (sql) => {
    expect((await orderOf(sql, 'ansi')).order).toBe('unordered')
  })

  it.each<[string, Dialect]>([
    ['VALUES (1, 2), (2, 3) ORDER BY 1', 'duckdb'],
    ['VALUES (1, 2), (2, 3) ORDER BY 1 DESC LIMIT 1', 'postgres'],
    ['TABLE o ORDER BY 1', 'duckdb'],
    ['WITH x AS (SELECT 1, 2) TABLE x ORDER BY 1', 'postgres'],
  ])('of listed rows and whole tables is read: %s', async (sql, dialect) => {
    const found = await orderOf(sql, dialect)
    expect(found).toMatchObject({ order: 'ordered' })
    expect(found.note).toBeUndefined()
    expect(found.columnsIn(result('x', 'y'))).toEqual([0])
  })
})
