import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { generateMutants, type Mutant } from '../../src/audit/mutants.js'
import { readQuery } from '../../src/audit/mutate/query-text.js'
import type { Value } from '../../src/engine/contract/engine.js'
import { loadSqlParser, type SqlParser, schemaFromCatalogue } from '../../src/sql/index.js'

const text = (...names: string[]) => names.map((name) => ({ name, type: 'VARCHAR' }))
const schema = schemaFromCatalogue({
  tables: [
    {
      name: 'shop.orders',
      columns: [
        ...text('market', 'status', 'note'),
        { name: 'amount', type: 'DOUBLE' },
        { name: 'day', type: 'DATE' },
      ],
    },
    { name: 'shop.refunds', columns: [...text('market', 'reason'), { name: 'back', type: 'DOUBLE' }] },
  ],
})

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function mutants(sql: string, values: Readonly<Record<string, readonly Value[]>> = {}): readonly Mutant[] {
  const tokens = parser.tokenize(sql, 'duckdb')
  if (tokens.kind === 'failed') throw new Error(tokens.message)
  return generateMutants(readQuery(sql, tokens.tokens, schema), (_, column) => values[column] ?? [], 'duckdb')
    .mutants
}

function wordsOf(
  kind: Mutant['kind'],
  sql: string,
  values?: Readonly<Record<string, readonly Value[]>>,
): string[] {
  return mutants(sql, values).flatMap((mutant) => (mutant.kind === kind ? [mutant.words] : []))
}

function sqlOf(
  kind: Mutant['kind'],
  sql: string,
  values?: Readonly<Record<string, readonly Value[]>>,
): string[] {
  return mutants(sql, values).flatMap((mutant) => (mutant.kind === kind ? [mutant.sql] : []))
}

describe('conditions', () => {
  it('leaves out each one, with its AND', () => {
    expect(sqlOf('condition', "SELECT 1 FROM t WHERE a = 1 AND b = 'x' AND c")).toEqual([
      "SELECT 1 FROM t WHERE b = 'x' AND c",
      'SELECT 1 FROM t WHERE a = 1 AND c',
      "SELECT 1 FROM t WHERE a = 1 AND b = 'x'",
    ])
    expect(wordsOf('condition', "SELECT 1 FROM t WHERE a  =\n 1 AND b = 'x'")).toEqual([
      'without a = 1',
      "without b = 'x'",
    ])
  })

  it('leaves out the clause with its only condition, but not the ON of a join or the WHERE of a FILTER', () => {
    expect(sqlOf('condition', 'SELECT 1 FROM t WHERE a GROUP BY b HAVING c')).toEqual([
      'SELECT 1 FROM t  GROUP BY b HAVING c',
      'SELECT 1 FROM t WHERE a GROUP BY b ',
    ])
    expect(sqlOf('condition', 'SELECT 1 FROM t JOIN u ON t.a = u.a')).toEqual([
      'SELECT 1 FROM t JOIN u ON 1 = 1',
    ])
    expect(sqlOf('condition', 'SELECT count(x) FILTER (WHERE a) FROM t')).toEqual([
      'SELECT count(x) FILTER (WHERE 1 = 1) FROM t',
    ])
  })

  it('keeps the AND of BETWEEN, of CASE and of brackets inside a condition', () => {
    expect(wordsOf('condition', 'SELECT 1 FROM t WHERE a BETWEEN 1 AND 2 AND (b OR c AND d)')).toEqual([
      'without a BETWEEN 1 AND 2',
      'without (b OR c AND d)',
    ])
    expect(wordsOf('condition', 'SELECT 1 FROM t WHERE CASE WHEN a AND b THEN c END')).toEqual([
      'without CASE WHEN a AND b THEN c END',
    ])
  })

  it('takes conditions with an OR beside them as one', () => {
    expect(wordsOf('condition', 'SELECT 1 FROM t WHERE a AND b OR c')).toEqual(['without a AND b OR c'])
  })

  it('finds those of subqueries and of both sides of a UNION', () => {
    expect(
      wordsOf('condition', 'SELECT 1 FROM (SELECT 2 FROM t WHERE a) WHERE b UNION SELECT 3 FROM u WHERE c'),
    ).toEqual(['without a', 'without b', 'without c'])
  })
})

describe('aggregates', () => {
  it('takes each other one, but not for count(*)', () => {
    expect(wordsOf('aggregate', 'SELECT sum(x), count(*) FROM t')).toEqual([
      'avg instead of sum',
      'count instead of sum',
      'min instead of sum',
      'max instead of sum',
    ])
  })

  it('adds and takes DISTINCT where it can matter', () => {
    expect(sqlOf('distinct', 'SELECT count(DISTINCT x), sum(y), max(z) FROM t')).toEqual([
      'SELECT count(x), sum(y), max(z) FROM t',
      'SELECT count(DISTINCT x), sum(DISTINCT y), max(z) FROM t',
    ])
  })
})

describe('columns', () => {
  it('takes those of the same table and type, the most alike first, in each place and everywhere', () => {
    expect(wordsOf('column', 'SELECT market FROM shop.orders WHERE market IS NOT NULL')).toEqual([
      'note instead of market, place 1 of 2',
      'note instead of market, place 2 of 2',
      'note instead of market everywhere',
      'status instead of market, place 1 of 2',
      'status instead of market, place 2 of 2',
      'status instead of market everywhere',
    ])
    expect(wordsOf('column', 'SELECT amount FROM shop.orders')).toEqual([])
  })

  it('follows aliases and finds the table of a subquery before that of the query around it', () => {
    expect(sqlOf('column', 'SELECT r.market FROM shop.orders AS o JOIN shop.refunds r USING (day)')).toEqual([
      'SELECT r.reason FROM shop.orders AS o JOIN shop.refunds r USING (day)',
    ])
    expect(
      sqlOf('column', 'SELECT 1 FROM shop.orders WHERE EXISTS (SELECT 1 FROM shop.refunds WHERE market = 1)'),
    ).toEqual(['SELECT 1 FROM shop.orders WHERE EXISTS (SELECT 1 FROM shop.refunds WHERE reason = 1)'])
  })

  it('leaves tables, aliases, functions, names of outputs and tables of WITH alone', () => {
    expect(wordsOf('column', 'SELECT note(1) AS market FROM shop.orders market')).toEqual([])
    expect(wordsOf('column', 'WITH orders AS (SELECT 1 AS market) SELECT market FROM orders')).toEqual([])
  })
})

describe('bounds', () => {
  it('takes their end in or leaves it out', () => {
    expect(wordsOf('bound', "SELECT 1 FROM t WHERE a < 3 AND lower(b) >= 'x'")).toEqual([
      'a <= 3 instead of <',
      "lower(b) > 'x' instead of >=",
    ])
  })

  it('moves by a day, a month, a minute or the last digit', () => {
    expect(wordsOf('step', "SELECT 1 FROM t WHERE d BETWEEN DATE '2025-02-28' AND '2025-12-31'")).toEqual([
      "'2025-03-01' instead of '2025-02-28'",
      "'2025-02-27' instead of '2025-02-28'",
      "'2026-01-01' instead of '2025-12-31'",
      "'2025-12-30' instead of '2025-12-31'",
    ])
    expect(
      wordsOf('step', "SELECT 1 FROM t WHERE m >= '2025-12' AND at < '2025-12-31 23:59' AND x > 0.05"),
    ).toEqual([
      "'2026-01' instead of '2025-12'",
      "'2025-11' instead of '2025-12'",
      "'2026-01-01 00:00' instead of '2025-12-31 23:59'",
      "'2025-12-31 23:58' instead of '2025-12-31 23:59'",
      '0.06 instead of 0.05',
      '0.04 instead of 0.05',
    ])
  })

  it('moves no literal inside an expression', () => {
    expect(wordsOf('step', "SELECT 1 FROM t WHERE a + 1 > b * 2 AND c > 'x'")).toEqual([])
  })
})

describe('joins, DISTINCT, LIMIT and ORDER BY', () => {
  it('makes an inner join LEFT and an outer one inner', () => {
    expect(
      sqlOf('join', 'SELECT 1 FROM a INNER JOIN b ON x LEFT OUTER JOIN c ON y JOIN d USING (z) CROSS JOIN e'),
    ).toEqual([
      'SELECT 1 FROM a LEFT JOIN b ON x LEFT OUTER JOIN c ON y JOIN d USING (z) CROSS JOIN e',
      'SELECT 1 FROM a INNER JOIN b ON x JOIN c ON y JOIN d USING (z) CROSS JOIN e',
      'SELECT 1 FROM a INNER JOIN b ON x LEFT OUTER JOIN c ON y LEFT JOIN d USING (z) CROSS JOIN e',
    ])
  })

  it('adds DISTINCT only where a row can come twice', () => {
    expect(sqlOf('distinct', 'SELECT a FROM t')).toEqual(['SELECT DISTINCT a FROM t'])
    expect(sqlOf('distinct', 'SELECT DISTINCT a FROM t')).toEqual(['SELECT a FROM t'])
    expect(sqlOf('distinct', 'SELECT max(b) AS b FROM t')).toEqual([])
    expect(sqlOf('distinct', 'SELECT a, substr(b, 1) AS c, max(d) FROM t GROUP BY 1, c')).toEqual([])
    expect(sqlOf('distinct', 'SELECT max(d) FROM t GROUP BY a')).toEqual([
      'SELECT DISTINCT max(d) FROM t GROUP BY a',
    ])
    expect(sqlOf('distinct', 'SELECT max(a) OVER () FROM t')).toEqual([
      'SELECT DISTINCT max(a) OVER () FROM t',
    ])
  })

  it('takes a row more and a row fewer, though never none', () => {
    expect(wordsOf('limit', 'SELECT a FROM t LIMIT 5')).toEqual([
      'LIMIT 6 instead of 5',
      'LIMIT 4 instead of 5',
    ])
    expect(wordsOf('limit', 'SELECT a FROM t LIMIT 1')).toEqual(['LIMIT 2 instead of 1'])
  })

  it('turns each key round, NULLS FIRST or not', () => {
    expect(
      sqlOf('order', 'SELECT a FROM t ORDER BY f(a, b) DESC NULLS LAST, c NULLS FIRST, d ASC LIMIT 5'),
    ).toEqual([
      'SELECT a FROM t ORDER BY f(a, b) ASC NULLS LAST, c NULLS FIRST, d ASC LIMIT 5',
      'SELECT a FROM t ORDER BY f(a, b) DESC NULLS LAST, c DESC NULLS FIRST, d ASC LIMIT 5',
      'SELECT a FROM t ORDER BY f(a, b) DESC NULLS LAST, c NULLS FIRST, d DESC LIMIT 5',
    ])
    expect(wordsOf('order', 'SELECT sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t')).toEqual([
      'ORDER BY b descending instead of ascending',
    ])
  })
})

describe('literals', () => {
  const values = { market: ['ID', "O'TH", 'VN', 'SG'], amount: [1, 2.5] }

  it('become other values of the column, written as they are', () => {
    expect(
      wordsOf('literal', "SELECT 1 FROM shop.orders WHERE market = 'ID' AND amount <> 2.5", values),
    ).toEqual(["market 'O''TH' instead of 'ID'", "market 'VN' instead of 'ID'", 'amount 1 instead of 2.5'])
  })

  it('of an IN list become values that are not in it', () => {
    expect(wordsOf('literal', "SELECT 1 FROM shop.orders WHERE market NOT IN ('ID', 'VN')", values)).toEqual([
      "market 'O''TH' instead of 'ID'",
      "market 'SG' instead of 'ID'",
      "market 'O''TH' instead of 'VN'",
      "market 'SG' instead of 'VN'",
    ])
  })
})

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
