import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateMutants } from '../../src/audit/mutants.js'
import { readQuery } from '../../src/audit/mutate/query-text.js'
import { mutants, parser, schema } from './made-mutants.js'

describe('all mutants', () => {
  const sql = `WITH big AS (SELECT market, sum(amount) AS total FROM shop.orders o
    WHERE o.day BETWEEN DATE '2025-01-01' AND DATE '2025-01-31' AND status IN ('paid', 'sent')
    GROUP BY 1 HAVING sum(amount) > 100)
    SELECT DISTINCT b.market, count(*) FROM big b LEFT JOIN shop.refunds r ON b.market = r.market AND r.back >= 0.5
    ORDER BY 2 DESC LIMIT 3`

  it('have words of their own and texts of their own, none that of the query', () => {
    const found = mutants(sql, { status: ['lost'] })
    expect(new Set(found.map(({ words }) => words)).size).toBe(found.length)
    expect(new Set([sql, ...found.map((mutant) => mutant.sql)]).size).toBe(found.length + 1)
    expect(new Set(found.map(({ kind }) => kind))).toEqual(
      new Set([
        'condition',
        'aggregate',
        'column',
        'bound',
        'step',
        'join',
        'distinct',
        'limit',
        'order',
        'literal',
      ]),
    )
  })

  it('are queries that the parser reads', () => {
    for (const mutant of mutants(sql, { status: ['lost'] })) {
      expect(parser.parse(mutant.sql, 'duckdb').kind, mutant.words).toBe('query')
    }
  })

  it('of a query of a megabyte are a few, made in a moment', () => {
    const values = Array.from({ length: 90_000 }, (_, at) => `'value ${at}'`).join(', ')
    const long = `SELECT count(*) FROM shop.orders WHERE market IN (${values}) AND amount > 5`
    const tokens = parser.tokenize(long, 'duckdb')
    const query = readQuery(long, tokens.kind === 'tokens' ? tokens.tokens : [], schema)
    const { mutants: tried, leftOut } = generateMutants(query, () => ['other', 'another'], 'duckdb')
    expect(tried.length).toBeGreaterThan(5)
    expect(tried.length + leftOut).toBeGreaterThan(40)
    expect(tried.reduce((sum, { sql }) => sum + sql.length, 0)).toBeLessThan(25_000_000)
    expect(Math.max(...tried.map(({ words }) => words.length))).toBeLessThan(250)
  })

  it('are made of any text that has tokens', () => {
    const word = fc.constantFrom(
      ...[
        'SELECT',
        'FROM',
        'WHERE',
        'ON',
        'AND',
        'OR',
        'BETWEEN',
        'CASE',
        'END',
        'ORDER',
        'BY',
        'LIMIT',
        'JOIN',
      ],
      ...[
        'LEFT',
        'DISTINCT',
        '(',
        ')',
        ',',
        '.',
        '<',
        '=',
        'IN',
        '1',
        "'x'",
        'market',
        'shop.orders',
        'sum',
        'UNION',
      ],
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), (words) => {
        const found = mutants(words.join(' '), { market: ['a'] })
        expect(found.every((mutant) => mutant.sql !== words.join(' '))).toBe(true)
      }),
    )
  })
})
