import { beforeAll, describe, expect, it } from 'vitest'
import { parseClauses, type Query } from '../../../../../src/domains/sql/repair/model/sql-clauses.js'
import type { TokenRange } from '../../../../../src/domains/sql/repair/model/token-ranges.js'
import { loadSqlParser, type SqlParser, type SqlToken } from '../../../../../src/sql/index.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

function read(sql: string): {
  query: Query | undefined
  text: (range: TokenRange | undefined) => string | undefined
} {
  const outcome = parser.tokenize(sql, 'duckdb')
  if (outcome.kind !== 'tokens') throw new Error(outcome.message)
  const tokens: readonly SqlToken[] = outcome.tokens
  const text = (range: TokenRange | undefined): string | undefined =>
    range && sql.slice(tokens[range.from]?.start, tokens[range.to - 1]?.end)
  return { query: parseClauses(tokens), text }
}

function items(sql: string, kind: 'select' | 'where' | 'group' | 'having'): (string | undefined)[] {
  const { query, text } = read(sql)
  return query?.arms[0]?.clauses.get(kind)?.items.map(text) ?? []
}

describe('parseClauses', () => {
  it('splits WHERE at the ANDs that join conditions, not at that of BETWEEN', () => {
    const sql =
      'SELECT 1 FROM t WHERE a BETWEEN 1 AND 2 AND b = 3 AND c NOT BETWEEN {{ x.start }} AND {{ x.end }}'
    expect(items(sql, 'where')).toEqual([
      'a BETWEEN 1 AND 2',
      'b = 3',
      'c NOT BETWEEN {{ x.start }} AND {{ x.end }}',
    ])
  })

  it('keeps a group of ORs whole and opens bracketed ANDs', () => {
    expect(items('SELECT 1 FROM t WHERE (a OR b) AND (c AND d)', 'where')).toEqual(['(a OR b)', 'c', 'd'])
    expect(items('SELECT 1 FROM t WHERE a OR b AND c', 'where')).toEqual(['a OR b AND c'])
  })

  it('leaves AND inside CASE alone', () => {
    const condition = 'CASE WHEN a AND b THEN 1 ELSE 0 END = 1'
    expect(items(`SELECT 1 FROM t WHERE ${condition} AND c`, 'where')).toEqual([condition, 'c'])
  })

  it('lists select and group items without splitting calls', () => {
    const sql = 'SELECT DISTINCT substr(a, 1, 7) AS m, count(*) FROM t GROUP BY 1, substr(a, 1, 7)'
    expect(items(sql, 'select')).toEqual(['substr(a, 1, 7) AS m', 'count(*)'])
    expect(items(sql, 'group')).toEqual(['1', 'substr(a, 1, 7)'])
  })

  it('is not misled by FROM, ORDER BY and DISTINCT inside expressions', () => {
    const sql = `SELECT extract(year FROM d), row_number() OVER (ORDER BY x) FROM t WHERE a IS DISTINCT FROM b`
    expect(items(sql, 'select')).toHaveLength(2)
    expect(items(sql, 'where')).toEqual(['a IS DISTINCT FROM b'])
  })

  it('reads sources with how they are joined, under which alias and on what', () => {
    const { query, text } = read(
      'SELECT 1 FROM a.b x LEFT OUTER JOIN c AS y ON x.k = y.k AND y.d, (SELECT 1 FROM e) z JOIN f USING (k)',
    )
    const sources = query?.arms[0]?.sources ?? []
    expect(sources.map((source) => text(source.relation))).toEqual(['a.b', 'c', '(SELECT 1 FROM e)', 'f'])
    expect(sources.map((source) => text(source.alias))).toEqual(['x', 'y', 'z', undefined])
    expect(sources.slice(1).map((source) => text(source.join))).toEqual(['LEFT OUTER JOIN', ',', 'JOIN'])
    expect(sources[1]?.on?.items.map(text)).toEqual(['x.k = y.k', 'y.d'])
    expect(text(sources[3]?.using)).toBe('(k)')
    expect(sources[2]?.query?.arms).toHaveLength(1)
  })

  it('reads CTEs, set operations and what is ordered as a whole', () => {
    const { query, text } = read(
      'WITH p AS (SELECT 1 AS a), q (b) AS (SELECT 2) SELECT a FROM p UNION ALL SELECT b FROM q ORDER BY 1 LIMIT 5;',
    )
    expect(query?.ctes.map((cte) => cte.name)).toEqual(['p', 'q'])
    expect(query?.arms).toHaveLength(2)
    expect(query?.operators.map(text)).toEqual(['UNION ALL'])
    expect(text(query?.tail.get('order')?.range)).toBe('ORDER BY 1')
    expect(text(query?.tail.get('limit')?.body)).toBe('5')
  })

  it('reads nothing that is not a SELECT', () => {
    expect(read('VALUES (1), (2)').query).toBeUndefined()
    expect(read('hello').query).toBeUndefined()
  })
})
