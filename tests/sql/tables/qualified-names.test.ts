import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { type Schema, schemaFromCatalogue } from '../../../src/sql/tables/load-schema.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const compare = (a: string, b: string, schema?: Schema) =>
  compareQueries(parser, a, b, 'postgres', { schema })

const catalogue = (...names: string[]): Schema =>
  schemaFromCatalogue({ tables: names.map((name) => ({ name, columns: [{ name: 'a' }, { name: 'b' }] })) })

describe('tables named with and without their schema', () => {
  const [bare, full] = ['SELECT a FROM orders', 'SELECT o.a FROM shop.orders AS o']

  it('are the same only if the schema is the one in use', () => {
    expect(compare(bare, full)).toMatchObject({ kind: 'equal_if', assumptions: ['orders is shop.orders'] })
    expect(compare('SELECT a FROM orders', 'SELECT b FROM shop.orders').kind).toBe('different')
    expect(compare('SELECT a FROM old.orders', full).kind).toBe('different')
  })

  it('are the same for one session where a name is written in full, and no schema is known', () => {
    const session = (a: string, b: string, schema?: Schema) =>
      compareQueries(parser, a, b, 'postgres', { schema, conventionalNames: true })
    const whole = 'SELECT a FROM prod.shop.orders WHERE b = 1'
    const assumptions = ['orders is prod.shop.orders']
    const short = 'SELECT a FROM orders WHERE b = 1'
    expect(session(short, whole)).toEqual({ kind: 'equal', assumptions })
    expect(compare(short, whole)).toMatchObject({ kind: 'equal_if', assumptions })
    expect(session(full.replace(' AS o', '').replace('o.a', 'a'), 'SELECT a FROM prod.shop.orders')).toEqual({
      kind: 'equal',
      assumptions: ['shop.orders is prod.shop.orders'],
    })
    // Somebody chose a schema, another table is read beside it, the rest differs, or the tables are known.
    expect(session(bare, full).kind).toBe('equal_if')
    expect(session('SELECT a FROM old.orders', 'SELECT a FROM prod.shop.orders').kind).toBe('different')
    expect(session(`${short} UNION ALL ${short}`, `${short} UNION ALL ${whole}`).kind).toBe('different')
    expect(session(short, `${whole} AND c = 2`).kind).toBe('different')
    expect(session('SELECT * FROM orders', 'SELECT a, b FROM prod.shop.orders').kind).toBe('equal_if')
    const joined = (a: string, b: string) => `SELECT o.a FROM ${a} o JOIN ${b} i ON o.b = i.b`
    const [o, i] = ['prod.shop.orders', 'prod.shop.items']
    expect(session(joined('orders', 'items'), joined(o, i)).kind).toBe('equal')
    expect(session(joined('orders', i), joined(o, 'shop.items')).kind).toBe('equal')
    // No session has two schemas, or two catalogues, of its own.
    expect(session(joined('orders', 'items'), joined(o, 'prod.old.items')).kind).toBe('equal_if')
    expect(session(joined('shop.orders', 'shop.items'), joined(o, 'dev.shop.items')).kind).toBe('equal_if')
    expect(session(joined('orders', 'shop.items'), joined(o, 'dev.shop.items')).kind).toBe('equal_if')
    expect(session(short, whole, catalogue('orders', 'prod.shop.orders')).kind).toBe('different')
  })

  it('are the tables of the catalogue where it is known', () => {
    expect(compare(bare, full, catalogue('shop.orders')).kind).toBe('equal')
    expect(compare(bare, full, catalogue('orders', 'shop.orders')).kind).toBe('different')
  })

  it('are not the same where a query reads both', () => {
    const joined = 'SELECT x.a FROM orders x JOIN shop.orders y ON x.b = y.b'
    expect(compare(joined, 'SELECT x.a FROM orders x JOIN orders y ON x.b = y.b').kind).toBe('different')
  })
})
