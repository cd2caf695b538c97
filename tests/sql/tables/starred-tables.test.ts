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

describe('columns of tables of which nothing is known', () => {
  it('are all that the queries name only if there are no others', () => {
    expect(compare('SELECT * FROM t WHERE a > 1', 'SELECT t.a, t.b FROM t WHERE t.a > 1')).toMatchObject({
      kind: 'equal_if',
      assumptions: ['t has the columns a, b and no others'],
    })
    const inner = 'SELECT b FROM (SELECT * FROM t LIMIT 5) x'
    expect(compare(inner, 'SELECT x.b FROM (SELECT a, b FROM t LIMIT 5) x').kind).toBe('equal_if')
  })

  it('are those of the schema where there is one', () => {
    expect(compare('SELECT * FROM t', 'SELECT a, b FROM t', catalogue('t')).kind).toBe('equal')
    expect(compare('SELECT * FROM t', 'SELECT a FROM t', catalogue('t')).kind).toBe('different')
  })
})
