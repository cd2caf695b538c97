import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

/** A function that nobody knows may give one value a row or one for all rows: neither may be taken for granted. */
describe('a function that is not known', () => {
  it.each([
    ['keeps LIMIT and ORDER BY', 'SELECT foo(x) FROM t ORDER BY x LIMIT 1', 'SELECT foo(x) FROM t'],
    ['keeps DISTINCT', 'SELECT DISTINCT foo(x) FROM t', 'SELECT foo(x) FROM t'],
    ['does not make one row', 'SELECT a FROM t, (SELECT foo(x) FROM u) d', 'SELECT a FROM t'],
    [
      'does not lose the aggregate beside it, which makes one row',
      'SELECT d.f FROM (SELECT foo(x) AS f, sum(y) AS s FROM t) d',
      'SELECT d.f FROM (SELECT foo(x) AS f FROM t) d',
    ],
    [
      'is not one row when a scalar max is in it',
      'SELECT DISTINCT max(a, b) FROM t',
      'SELECT max(a, b) FROM t',
    ],
  ])('%s', (_, expected, generated) => {
    expect(compareQueries(parser, expected, generated, 'sqlite').kind).toBe('different')
  })

  it('does not hide that an aggregate makes one row', () => {
    const kind = compareQueries(
      parser,
      'SELECT sum(x) FROM t ORDER BY 1 LIMIT 3',
      'SELECT sum(x) FROM t',
      'sqlite',
    ).kind
    expect(kind).toBe('equal')
  })
})
