import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameSqlText } from '../../src/sql/same-text.js'

describe('the same text', () => {
  it.each([
    ['SELECT a FROM t', 'select a\n  from T'],
    ['SELECT a FROM t;', 'SELECT a FROM t ; ;'],
    ['SELECT a -- why\nFROM t', 'SELECT a /* because */ FROM t'],
    ['SELECT f( a,b ) FROM t', 'SELECT f(a, b) FROM t'],
    ["SELECT 'It''s' FROM t", "select 'It''s' from t"],
    ['SELECT "A b" FROM t', 'select  "A b" from t'],
    ["SELECT a FROM t WHERE d = DATE '2025-01-01'", "select a from t where d = date '2025-01-01'"],
    ['SELECT a AS `É` FROM t', 'select a as `É` from t'],
  ])('%j is %j', (a, b) => {
    expect(isSameSqlText(a, b)).toBe(true)
  })

  it.each([
    ["SELECT 'a' FROM t", "SELECT 'A' FROM t"],
    ['SELECT "a" FROM t', 'SELECT "A" FROM t'],
    ['SELECT `a` FROM t', 'SELECT `A` FROM t'],
    ['SELECT [a] FROM t', 'SELECT [A] FROM t'],
    ["SELECT 'a  b' FROM t", "SELECT 'a b' FROM t"],
    ['SELECT a b FROM t', 'SELECT ab FROM t'],
    ['SELECT 1 FROM t', 'SELECT 1.0 FROM t'],
    ['SELECT a FROM t', 'SELECT a FROM t; DELETE FROM t'],
    ["SELECT 'a''b'", "SELECT 'a' 'b'"],
    ["SELECT x'ab'", "SELECT x 'ab'"],
    ["SELECT 'it\\' /* '", "SELECT 'it\\' /* OR */ '"],
    ['SELECT a # b\nFROM t', 'SELECT a\nFROM t'],
    ['SELECT a --b\nFROM t', 'SELECT a FROM t'],
    ['SELECT /*+ hint */ a', 'SELECT a'],
    ['SELECT /*! a, */ b', 'SELECT b'],
    ["SELECT '''A'b'''", "SELECT '''A'B'''"],
    ['SELECT $$A$$', 'SELECT $$a$$'],
    ["SELECT x['a]'] = 'FOO'", "SELECT x['a]'] = 'foo'"],
    ['SELECT a /* one /* two */ b */', 'SELECT a b */'],
    ["SELECT 'open", "SELECT 'OPEN"],
    ['SELECT - -1', 'SELECT --1'],
    ['SELECT İ', 'SELECT i̇'],
  ])('%j is not %j', (a, b) => {
    expect(isSameSqlText(a, b)).toBe(false)
  })

  it('is found in linear time', () => {
    const long = `SELECT ${'a, \'x\', /* c */ "q", '.repeat(20_000)}b FROM t`
    expect(isSameSqlText(long, long.toLowerCase())).toBe(true)
    expect(isSameSqlText(`${'/*'.repeat(50_000)}a`, `${'/*'.repeat(50_000)}A`)).toBe(false)
  })

  it('never ignores the content of quotes', () => {
    const content = fc.string({ unit: fc.constantFrom('a', 'A', ' ', '-', '/', '*', ';', '"', '(') })
    fc.assert(
      fc.property(content, content, (one, other) => {
        expect(isSameSqlText(`SELECT '${one}'`, `select '${other}'`)).toBe(one === other)
      }),
    )
  })
})
