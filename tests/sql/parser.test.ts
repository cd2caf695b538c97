import { beforeAll, describe, expect, it } from 'vitest'
import { dialects } from '../../src/enums/dialect.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import { loadSqlTranslator, type SqlTranslator } from '../../src/sql/translator.js'

let parser: SqlParser
let translator: SqlTranslator
beforeAll(async () => {
  parser = await loadSqlParser()
  translator = await loadSqlTranslator()
})

describe('parsing', () => {
  it.each(dialects)('reads a query in %s', (dialect) => {
    expect(parser.parse('SELECT a, count(*) FROM t WHERE b = 1 GROUP BY a', dialect).kind).toBe('query')
  })

  it.each([
    ['', 'no query'],
    ['-- nothing', 'no query'],
    ['hello', 'hello'],
    ['I cannot answer that', 'I cannot'],
    ['```sql\nSELECT 1\n```', 'fence'],
    ['SELECT 1; SELECT 2', '2 statements'],
    ['DELETE FROM t', 'DELETE'],
    ['INSERT INTO t VALUES (1)', 'INSERT'],
    ['CREATE TABLE t (a int)', 'CREATE'],
    ['EXPLAIN SELECT 1', 'EXPLAIN'],
    ['WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x', 'DELETE'],
  ])('does not take %j for a query', (sql, words) => {
    const outcome = parser.parse(sql, 'postgres')
    expect(outcome.kind).toBe('unparsable')
    expect(outcome.kind === 'unparsable' ? outcome.message : '').toContain(words)
  })

  it('says where a syntax error is', () => {
    expect(parser.parse('SELECT a\nFROM', 'trino')).toMatchObject({ kind: 'unparsable', line: 2 })
  })

  it('takes a trailing semicolon', () => {
    expect(parser.parse('SELECT 1;', 'sqlite').kind).toBe('query')
  })

  it('survives what nests deeply or goes on for long', () => {
    const sums = `SELECT ${'1 + '.repeat(5000)}1 FROM t`
    const parentheses = `SELECT ${'('.repeat(500)}1${')'.repeat(500)}`
    const ands = `SELECT a FROM t WHERE ${'a = 1 AND '.repeat(20_000)}b = 2`
    const unions = Array.from({ length: 300 }, (_, at) => `SELECT ${at}`).join(' UNION ALL ')
    expect(parser.parse(sums, 'trino').kind).toBe('unparsable')
    expect(parser.parse(parentheses, 'trino').kind).toBe('unparsable')
    expect(parser.parse(ands, 'trino').kind).toBe('query')
    expect(parser.parse(unions, 'trino').kind).toBe('query')
  })

  it('refuses CTEs that build on one another for too long', () => {
    const chain = (length: number): string => {
      const ctes = Array.from(
        { length },
        (_, at) => `c${at + 1} AS (SELECT count(a) AS a FROM c${at} GROUP BY a)`,
      )
      return `WITH c0 AS (SELECT a FROM t LIMIT 1), ${ctes.join(', ')} SELECT a FROM c${length}`
    }
    expect(parser.parse(chain(250), 'trino').kind).toBe('query')
    expect(parser.parse(chain(400), 'trino')).toMatchObject({
      message: expect.stringContaining('too deeply'),
    })
  })

  it('refuses CTEs that unfold without end', () => {
    const ctes = Array.from(
      { length: 20 },
      (_, at) => `c${at + 1} AS (SELECT x.a FROM c${at} x JOIN c${at} y ON x.a = y.a)`,
    )
    const sql = `WITH c0 AS (SELECT a FROM t WHERE a > 1), ${ctes.join(', ')} SELECT * FROM c20`
    expect(parser.parse(sql, 'trino')).toMatchObject({
      kind: 'unparsable',
      message: expect.stringContaining('tables'),
    })
  })

  it('loads once', async () => {
    expect(await loadSqlParser()).toBe(parser)
  })
})

describe('translating', () => {
  it('rewrites a query into another dialect', () => {
    expect(translator.translate("SELECT date_trunc('month', d) FROM t", 'trino', 'sqlite')).toEqual({
      kind: 'sql',
      sql: "SELECT STRFTIME('%Y-%m-01', d) FROM t",
    })
  })

  it.each(['SELECT 1; SELECT 2', 'hello', 'SELECT FROM', ''])('of %j fails', (sql) => {
    expect(translator.translate(sql, 'trino', 'sqlite').kind).toBe('failed')
  })

  it('reads names that begin with a dollar where no dialect says what they are', () => {
    expect(parser.parse('SELECT t.$f0 FROM (SELECT a AS $f0 FROM x) AS t', 'ansi').kind).toBe('query')
    expect(parser.parse("SELECT t.$f0 FROM t WHERE a = '$f0'", 'ansi').kind).toBe('unparsable')
  })
})
