import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../../../src/enums/dialect.js'
import { compareQueries } from '../../../../src/sql/compare.js'
import { loadSqlParser } from '../../../../src/sql/parser.js'

describe('the rule inline', () => {
  it.each<[string, string, string, string, Dialect]>([
    [
      'LATERAL',
      'SELECT t.a, u.b FROM t, LATERAL (SELECT b FROM s WHERE s.a = t.a) u',
      'SELECT t.a, s.b FROM t JOIN s ON s.a = t.a',
      'SELECT t.a, u.b FROM t, LATERAL (SELECT b FROM s WHERE s.a = t.a LIMIT 1) u',
      'postgres',
    ],
    [
      'a derived table of all columns',
      'SELECT * FROM (SELECT * FROM t WHERE a > 1) x JOIN s ON s.a = x.a',
      'SELECT * FROM t JOIN s ON s.a = t.a WHERE t.a > 1',
      'SELECT * FROM (SELECT * FROM t WHERE a > 2) x JOIN s ON s.a = x.a',
      'postgres',
    ],
  ])('%s', async (_, a, b, other, dialect) => {
    const parser = await loadSqlParser()
    expect(compareQueries(parser, a, b, dialect)).toEqual({ kind: 'equal' })
    expect(compareQueries(parser, a, other, dialect).kind).toBe('different')
  })
})
