import { beforeAll, describe, expect, it } from 'vitest'
import { proposeSnippets } from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import { loadSqlParser, type SqlParser } from '../../../../../../src/sql/index.js'
import { bindingsOf, metricOf, november, snippetOf } from './snippet-examples.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function best(text: string, expectedSql: string, question = november): string | undefined {
  const example = { caseId: 'c', expectedSql, bindings: bindingsOf(question) }
  const input = { parser, dialect: 'duckdb', metric: metricOf('m'), snippet: snippetOf('m', text) } as const
  return proposeSnippets({ ...input, examples: [example] }).proposals[0]?.text
}

const written = (condition: string, select = 'count(*)'): string =>
  `SELECT ${select} AS n FROM t WHERE market = {{ market }} AND ${condition}`
const expected = (condition: string, select = 'count(*)'): string =>
  `SELECT ${select} AS n FROM t WHERE ${condition} AND market = 'ID'`

describe('a repair in the order of the author', () => {
  it('leaves alternatives where they stand', () => {
    expect(best(written('(a = 1 OR b = 3)'), expected('(b = 2 OR a = 1)'))).toBe(written('(a = 1 OR b = 2)'))
  })

  it('puts an alternative that was missing beside those that stay', () => {
    expect(best(written('(a = 1 OR b = 3)'), expected('(b = 3 OR c = 2 OR a = 1)'))).toBe(
      written('(a = 1 OR b = 3 OR c = 2)'),
    )
  })

  it('leaves the members of a list where they stand', () => {
    expect(best(written("s IN ('x', 'y', 'z')"), expected("s IN ('z', 'x', 'w', 'y')"))).toBe(
      written("s IN ('x', 'w', 'y', 'z')"),
    )
  })

  it('adds to the list what the expected query says as alternatives', () => {
    expect(best(written("s IN ('x', 'y')"), expected("(s = 'y' OR s = 'q' OR s = 'x')"))).toBe(
      written("s IN ('x', 'y', 'q')"),
    )
  })

  it('leaves factors and addends where they stand', () => {
    const [ratio, turned] = ['count(*) * 1.0 / sum(x)', '1.0 * count(*) / sum(y)']
    expect(best(written('u', ratio), expected('u', turned))).toBe(written('u', 'count(*) * 1.0 / sum(y)'))
    expect(best(written('u', 'sum(a + b)'), expected('u', 'sum(c + a)'))).toBe(written('u', 'sum(a + c)'))
  })

  it('reaches into CASE and functions', () => {
    expect(
      best(
        written('u', 'sum(CASE WHEN a = 1 OR b = 2 THEN x * 2 END)'),
        expected('u', 'sum(CASE WHEN b = 3 OR a = 1 THEN 2 * x END)'),
      ),
    ).toBe(written('u', 'sum(CASE WHEN a = 1 OR b = 3 THEN x * 2 END)'))
  })

  it('never writes the first day of a period for its last', () => {
    const day = { ...november, start: '2025-11-11', end: '2025-11-11' }
    const added = best(
      'SELECT count(*) AS n FROM t WHERE market = {{ market }}',
      expected("d BETWEEN DATE '2025-11-11' AND DATE '2025-11-11'"),
      day,
    )
    expect(added).toContain('d BETWEEN {{ period.start }} AND {{ period.end }}')
  })
})
