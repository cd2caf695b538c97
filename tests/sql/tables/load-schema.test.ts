import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueryPair } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema, type Schema, schemaFromCatalogue } from '../../../src/sql/tables/load-schema.js'

const ddl = `CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
  CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER, day TEXT, amount INTEGER NOT NULL,
    FOREIGN KEY (shop_id) REFERENCES shop (id))`

let parser: SqlParser
let schema: Schema
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'sqlite')
})

describe('schemas of tables', () => {
  it('have columns, keys and foreign keys', () => {
    const sale = schema.tables.get('sale')
    expect([...(sale?.columns.keys() ?? [])]).toEqual(['id', 'shop_id', 'day', 'amount'])
    expect(sale?.columns.get('amount')?.notNull).toBe(true)
    expect(sale?.columns.get('id')?.notNull).toBe(true)
    expect(sale?.columns.get('day')?.notNull).toBe(false)
    expect(sale?.foreignKeys).toEqual([{ columns: ['shop_id'], table: 'shop', references: ['id'] }])
  })

  it('come from an engine’s catalogue too', () => {
    const known = schemaFromCatalogue({
      tables: [{ name: 'T', columns: [{ name: 'A', type: 'INTEGER' }, { name: 'b' }] }],
    })
    const side = (sql: string) => ({ sql, dialect: 'duckdb' as const })
    expect(
      compareQueryPair(parser, side('SELECT * FROM t'), side('SELECT b, a FROM t'), { schema: known }).kind,
    ).toBe('equal')
    expect(
      compareQueryPair(parser, side('SELECT * FROM t'), side('SELECT a FROM t'), { schema: known }).kind,
    ).toBe('different')
  })

  it('have the keys of an engine’s catalogue', () => {
    const table = { name: 'T', columns: [{ name: 'A', notNull: true }, { name: 'b' }] }
    const side = (sql: string) => ({ sql, dialect: 'duckdb' as const })
    const found = (keys: readonly { columns: readonly string[]; primary: boolean }[]) =>
      compareQueryPair(parser, side('SELECT count(*) FROM t'), side('SELECT count(DISTINCT a) FROM t'), {
        schema: schemaFromCatalogue({ tables: [{ ...table, keys }] }),
      }).kind
    expect(found([{ columns: ['A'], primary: true }])).toBe('equal')
    expect(found([])).toBe('different')
  })

  it('are refused where they cannot be read', () => {
    expect(() => parseSchema(parser, 'CREATE TABLE (', 'sqlite')).toThrow('The schema cannot be read')
  })
})
