import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../../src/sql/parser.js'
import { parseSchema } from '../../../../src/sql/tables/load-schema.js'
import { customersWithOrders, duplicatesAndNulls } from '../../rule-tables.js'
import { both, itKeepsRows, itKeepsRowsOfDuckdb, settingOf } from '../../rule-tests.js'

describe('the rule redundant-coalesce on customers with orders', () => {
  const beside = (value: string): string => `SELECT id, ${value} AS n FROM c`

  itKeepsRows(customersWithOrders, [
    // A count is never NULL.
    [
      both,
      beside('(SELECT count(*) FROM t WHERE t.cid = c.id)'),
      beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id), 0)'),
      beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid), -1)'),
    ],
    [
      both,
      beside('(SELECT count(t.a) FROM t WHERE t.cid = c.id)'),
      beside('coalesce((SELECT count(t.a) FROM t WHERE t.cid = c.id), 0)'),
      beside('(SELECT count(*) FROM t WHERE t.cid = c.id)'),
    ],
    [
      both,
      beside('(SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid)'),
      beside('(SELECT count(*) FROM t WHERE c.id = t.cid GROUP BY cid)'),
      beside('coalesce((SELECT count(*) FROM t WHERE t.cid = c.id GROUP BY t.cid), 0)'),
    ],
  ])
})

describe('the rule redundant-coalesce on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'a default that cannot be asked for',
      'SELECT id FROM t WHERE a > 1',
      'SELECT id FROM t WHERE coalesce(a, 0) > 1',
      'SELECT id FROM t WHERE coalesce(a, 2) > 1',
    ],
    [
      'a default that is asked for',
      'SELECT id FROM t WHERE a < 2 OR a IS NULL',
      'SELECT id FROM t WHERE coalesce(a, 0) < 2',
      'SELECT id FROM t WHERE coalesce(a, 2) < 2',
    ],
    [
      'defaults of defaults',
      'SELECT coalesce(a, b, id) FROM t',
      'SELECT coalesce(coalesce(a, b), a, id) FROM t',
      'SELECT coalesce(coalesce(b, a), id) FROM t',
    ],
  ])
})

it('a default that fails a comparison is dropped except where types are loose', async () => {
  const { parser, schema } = await settingOf(duplicatesAndNulls)
  const [given, plain] = ['SELECT id FROM t WHERE coalesce(b, 0) > 1', 'SELECT id FROM t WHERE b > 1']
  expect(compareQueries(parser, given, plain, 'duckdb', { schema }).kind).toBe('equal')
  expect(compareQueries(parser, given, plain, 'sqlite', { schema }).kind).toBe('different')
})

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})
const untyped = `CREATE TABLE t (k INTEGER, i INTEGER, x TEXT); CREATE TABLE u (i INTEGER);
  CREATE TABLE f (k INTEGER NOT NULL, i INTEGER NOT NULL, x TEXT NOT NULL);`

describe('a default of a column that is never NULL', () => {
  it.each([
    ['SELECT k FROM f WHERE coalesce(i, 0) = 5', 'SELECT k FROM f WHERE i = 5'],
    ["SELECT k FROM f WHERE coalesce(x, '') = '5'", "SELECT k FROM f WHERE x = '5'"],
    ['SELECT k FROM f WHERE coalesce(i, 0) > k', 'SELECT k FROM f WHERE i > k'],
    ['SELECT sum(coalesce(i, 0)) FROM f', 'SELECT sum(i) FROM f'],
    ['SELECT coalesce(i, 0), x FROM f', 'SELECT i, x FROM f'],
  ])('is dropped in SQLite: %s is %s', (a, b) => {
    const schema = parseSchema(parser, untyped, 'sqlite')
    expect(compareQueries(parser, a, b, 'sqlite', { schema }).kind).toBe('equal')
  })
})
