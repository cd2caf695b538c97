import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import type { SqlDifference } from '../../../src/sql/structural-comparison.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function differences(expected: string, generated: string): readonly SqlDifference[] {
  const finding = compareQueries(parser, expected, generated, 'trino')
  return finding.kind === 'different' ? finding.differences : []
}

function words(expected: string, generated: string): string[] {
  return differences(expected, generated).map(({ text }) => text)
}

describe('differences in words', () => {
  it.each([
    ['SELECT a FROM t WHERE b = 1 AND c = 2', 'SELECT a FROM t WHERE b = 1', ['filter missing: c = 2']],
    ['SELECT a FROM t', 'SELECT a FROM t WHERE b > 1', ['filter extra: b > 1']],
    [
      "SELECT a FROM t WHERE m = 'TH'",
      "SELECT a FROM t WHERE m = 'ID'",
      ["filter: m = 'ID' instead of m = 'TH'"],
    ],
    [
      "SELECT a FROM t WHERE d BETWEEN DATE '2025-11-01' AND DATE '2025-11-30'",
      "SELECT a FROM t WHERE d BETWEEN DATE '2025-11-01' AND DATE '2025-12-01'",
      ["filter: d <= DATE '2025-12-01' instead of d <= DATE '2025-11-30'"],
    ],
    ['SELECT avg(gmv) FROM t', 'SELECT sum(gmv) FROM t', ['aggregate: sum(gmv) instead of avg(gmv)']],
    [
      'SELECT a FROM commerce.orders',
      'SELECT a FROM commerce.orders_v1',
      ['table: commerce.orders_v1 instead of commerce.orders'],
    ],
    ['SELECT a, b FROM t', 'SELECT a FROM t', ['column missing: b']],
    ['SELECT a FROM t', 'SELECT a, b FROM t', ['column extra: b']],
    ['SELECT count(*) FROM t GROUP BY a', 'SELECT count(*) FROM t GROUP BY b', ['grouping: b instead of a']],
    ['SELECT a FROM t ORDER BY a', 'SELECT a FROM t ORDER BY a DESC', ['ordering: a DESC instead of a']],
    ['SELECT a FROM t ORDER BY a', 'SELECT a FROM t', ['ordering missing: a']],
    ['SELECT a FROM t LIMIT 10', 'SELECT a FROM t LIMIT 5', ['limit: 5 instead of 10']],
    ['SELECT DISTINCT a FROM t', 'SELECT a FROM t', ['DISTINCT missing']],
    ['SELECT a FROM t', 'SELECT DISTINCT a FROM t', ['DISTINCT extra']],
    [
      'SELECT t.a FROM t JOIN u ON t.id = u.id',
      'SELECT t.a FROM t LEFT JOIN u ON t.id = u.id',
      ['join: LEFT JOIN u ON t.id = u.id instead of INNER JOIN ON t.id = u.id'],
    ],
    [
      'SELECT a FROM t GROUP BY a HAVING count(*) > 1',
      'SELECT a FROM t GROUP BY a',
      ['having missing: count(*) > 1'],
    ],
    [
      'SELECT a FROM t UNION SELECT a FROM u',
      'SELECT a FROM t UNION ALL SELECT a FROM u',
      ['set operation: UNION ALL instead of UNION'],
    ],
    [
      'SELECT sum(a) OVER (ORDER BY b) FROM t',
      'SELECT sum(a) OVER (ORDER BY c) FROM t',
      ['window: sum(a) OVER (ORDER BY c) instead of sum(a) OVER (ORDER BY b)'],
    ],
  ])('%s, given %s', (expected, generated, texts) => {
    expect(words(expected, generated)).toEqual(texts)
  })

  it.each([
    [
      'WITH m AS (SELECT a, sum(b) AS s FROM t WHERE c = 1 GROUP BY a) SELECT a FROM m',
      'WITH n AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT a FROM n',
      'in subquery m: filter missing: c = 1',
    ],
    [
      'SELECT a FROM t WHERE b IN (SELECT b FROM u WHERE c = 1)',
      'SELECT a FROM t WHERE b IN (SELECT b FROM u WHERE c = 2)',
      'in subquery: filter: c = 2 instead of c = 1',
    ],
    [
      'SELECT a FROM t UNION SELECT a FROM u WHERE b = 1',
      'SELECT a FROM t UNION SELECT a FROM u',
      'in operand of UNION: filter missing: b = 1',
    ],
    [
      'SELECT a, b FROM t UNION SELECT c, d FROM u',
      'SELECT a, b FROM t UNION SELECT d, c FROM u',
      'in operand of UNION: column order: d, c instead of c, d',
    ],
    [
      'SELECT a FROM t WHERE b > (SELECT avg(b) FROM t)',
      'SELECT a FROM t WHERE b > (SELECT avg(b) FROM t WHERE c = 1)',
      'in subquery: filter extra: c = 1',
    ],
  ])('say where: %s', (expected, generated, text) => {
    expect(words(expected, generated)).toEqual([text])
  })

  it('name what differs beside the set operation, and nothing as missing that an operand has', () => {
    const union = 'SELECT a FROM t WHERE b = 1 UNION SELECT a FROM t WHERE c = 2'
    const set = 'set operation: UNION instead of SELECT'
    expect(words('SELECT a FROM t WHERE b = 1 OR c = 2', union)).toEqual([
      set,
      'filter missing: t.b = 1 OR t.c = 2',
      'filter extra: t.b = 1',
      'filter extra: t.c = 2',
    ])
    expect(words('SELECT a FROM t UNION SELECT a FROM u', 'SELECT a FROM t')).toEqual([
      'set operation: SELECT instead of UNION',
      'column missing: u.a',
      'table missing: u',
    ])
    expect(
      words('SELECT a FROM t UNION SELECT a FROM u', 'SELECT a FROM t UNION ALL SELECT a FROM v'),
    ).toEqual(['set operation: UNION ALL instead of UNION', 'in operand of UNION ALL: table: v instead of u'])
  })

  it('call columns alike though only one query joins', () => {
    expect(
      words(
        'SELECT sum(o.gmv) FROM orders o WHERE o.tz = 1',
        'SELECT sum(o.gmv) FROM orders o JOIN c ON o.id = c.id WHERE o.tz = 1',
      ),
    ).toEqual(['table extra: c', 'join extra: c.id = orders.id'])
  })

  it('carry both sides and their component', () => {
    expect(differences('SELECT avg(a) FROM t WHERE b = 1', 'SELECT sum(a) FROM t')).toEqual([
      {
        component: 'aggregates',
        kind: 'changed',
        text: 'aggregate: sum(a) instead of avg(a)',
        expected: 'avg(a)',
        generated: 'sum(a)',
      },
      { component: 'filters', kind: 'missing', text: 'filter missing: b = 1', expected: 'b = 1' },
    ])
  })

  it('name what a CTE lacks, and not that all of it is missing', () => {
    const flat = 'SELECT sum(o.revenue) FROM orders o JOIN items i ON i.id = o.id WHERE o.is_test'
    const staged =
      'WITH q AS (SELECT o.revenue AS r, o.market FROM orders o JOIN items i ON i.id = o.id) SELECT sum(r) FROM q'
    expect(words(flat, staged)).toEqual(['filter missing: orders.is_test'])
    expect(words(staged, flat)).toEqual(['filter extra: orders.is_test'])
  })

  it('name a join by a column that may be of several tables as it is written', () => {
    const joined = 'SELECT a FROM t JOIN u ON u.k = t.k JOIN v USING (m)'
    expect(words(joined, 'SELECT a FROM t JOIN u ON u.k = t.k')).toEqual([
      'table missing: v',
      'join missing: USING (v.m)',
    ])
  })

  it('show where long parts differ', () => {
    const query = (last: string) =>
      `SELECT a FROM t WHERE b IN (${Array.from({ length: 100 }, (_, at) => `'name ${100 + at}'`).join(', ')}, '${last}')`
    const [text] = words(query('x'), query('y'))
    expect(text).toMatch(/^filter: ….*'name 199', 'y'\) instead of ….*'name 199', 'x'\)$/)
  })

  it('show long parts in short', () => {
    const [text] = words(
      'SELECT a FROM t',
      `SELECT a FROM t WHERE b IN (${Array.from({ length: 500 }, (_, at) => at).join(', ')})`,
    )
    expect(text?.length).toBeLessThan(200)
  })
})

describe('differences of two dialects', () => {
  it('leave out what is only spelled in two ways', () => {
    const expected = "postgres: SELECT date_trunc('month', d), sum(a) FROM t WHERE b = 1 GROUP BY 1"
    const generated = "sqlite: SELECT strftime('%Y-%m-01', d), sum(a) FROM t GROUP BY 1"
    const finding = comparePair(parser, expected, generated)
    expect('differences' in finding && finding.differences.map(({ text }) => text)).toEqual([
      'filter missing: b = 1',
    ])
  })
})
