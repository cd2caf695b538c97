import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../../src/sql/tables/load-schema.js'

let parser: SqlParser
let schema: Schema
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, 'CREATE TABLE t (a INTEGER, b INTEGER); CREATE TABLE u (c INTEGER)', 'duckdb')
})

describe('a column that its table does not have', () => {
  it.each([
    ['that nothing uses', 'WITH x AS (SELECT a, t.gone AS z FROM t) SELECT a FROM x'],
    ['that is a bare name', 'WITH x AS (SELECT a, gone FROM t) SELECT a FROM x'],
    ['in a CTE that nothing names', 'WITH x AS (SELECT u.gone FROM u) SELECT a FROM t'],
    ['listed in EXISTS', 'SELECT a FROM t WHERE EXISTS (SELECT 1) OR EXISTS (SELECT u.gone FROM u)'],
  ])('%s keeps a query that is refused from being equal to one that runs', (_, refused) => {
    const runs = refused.replaceAll('gone', refused.includes('u.gone') ? 'c' : 'b')
    expect(compareQueries(parser, runs, runs, 'duckdb', { schema }).kind).toBe('equal')
    expect(compareQueries(parser, refused, refused, 'duckdb', { schema }).kind).toBe('equal')
    expect(compareQueries(parser, runs, refused, 'duckdb', { schema }).kind).toBe('different')
    expect(compareQueries(parser, runs, refused, 'duckdb').kind).toBe('equal')
  })

  it('is not assumed where the query names it, or where not all tables are known', () => {
    const kind = (a: string, b: string) => compareQueries(parser, a, b, 'sqlite', { schema }).kind
    expect(kind('SELECT a FROM t WHERE rowid = 1', 'SELECT t.a FROM t WHERE t.rowid = 1')).toBe('equal')
    expect(kind('SELECT s FROM (SELECT sum(a) AS s FROM t) x', 'SELECT sum(a) FROM t')).toBe('equal')
    const inner = '(SELECT a, free FROM t, elsewhere) x'
    expect(kind(`SELECT a FROM ${inner}`, 'SELECT a FROM t, elsewhere')).toBe('equal')
  })
})
