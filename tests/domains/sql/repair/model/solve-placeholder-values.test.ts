import { beforeAll, describe, expect, it } from 'vitest'
import {
  type SolvedBinding,
  solveBindings,
} from '../../../../../src/domains/sql/repair/model/solve-placeholder-values.js'
import type { Binding } from '../../../../../src/kb/question-interpretation.js'
import { loadSqlParser, type SqlParser } from '../../../../../src/sql/index.js'
import { bindingsOf, metricOf, november, render, snippetOf } from '../propose/rules/snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

const dau = `SELECT grass_region, substr(day, 1, 7) AS month, avg(a1) AS dau
FROM traffic.active
WHERE day BETWEEN {{ period.start }} AND {{ period.end }} AND tz_type = 'local' AND grass_region = {{ market }}
GROUP BY 1, 2`

function solve(
  text: string,
  expectedSql: string,
  unknown: readonly string[],
  known: readonly Binding[] = bindingsOf(november).filter(({ parameter }) => !unknown.includes(parameter)),
): SolvedBinding[] | undefined {
  return solveBindings({
    parser,
    dialect: 'duckdb',
    metric: metricOf('dau'),
    snippet: snippetOf('dau', text),
    expectedSql,
    known,
    unknown,
  })
}

describe('solveBindings', () => {
  it('reads an enum value that the metric does not have', () => {
    const expected = render(dau, { ...november, market: 'PH' })
    expect(solve(dau, expected, ['market'])).toEqual([{ parameter: 'market', literal: 'PH' }])
  })

  it('reads it out of a query in other words', () => {
    const expected = `select t.grass_region, substr(t.day, 1, 7), avg(t.a1) from traffic.active as t
      where 'PH' = t.grass_region and t.tz_type = 'local'
        and t.day >= date '2025-11-01' and t.day <= date '2025-11-30' group by t.grass_region, 2`
    expect(solve(dau, expected, ['market'])).toEqual([{ parameter: 'market', literal: 'PH' }])
  })

  it('finds nothing where the query differs in anything else', () => {
    const expected = render(dau, { ...november, market: 'PH' }).replace("'local'", "'utc'")
    expect(solve(dau, expected, ['market'])).toBeUndefined()
  })

  it('tests for equality where nothing is unknown', () => {
    expect(solve(dau, render(dau, november), [])).toEqual([])
    expect(solve(dau, render(dau, { ...november, market: 'TH' }), [])).toBeUndefined()
  })

  it('reads a number, and not another one that the query holds', () => {
    const text =
      'SELECT substr(site, 1, 7) AS s, count(*) AS n FROM visits GROUP BY 1 ORDER BY n DESC LIMIT {{ n }}'
    expect(solve(text, render(text, { ...november, n: 20 }), ['n'])).toEqual([
      { parameter: 'n', literal: '20' },
    ])
  })

  it('reads a choice by its name', () => {
    const text = 'SELECT {{ by }} AS slice, count(*) AS n FROM orders GROUP BY 1'
    expect(solve(text, render(text, { ...november, by: 'month' }), ['by'])).toEqual([
      { parameter: 'by', literal: 'month' },
    ])
  })

  it('reads a period with its market, also from an exclusive end', () => {
    const text = dau.replace(
      'day BETWEEN {{ period.start }} AND {{ period.end }}',
      'day >= {{ period.start }} AND day < {{ period.end_exclusive }}',
    )
    const question = { ...november, market: 'PH', start: '2025-02-01', end: '2025-02-28' }
    expect(solve(text, render(text, question), ['market', 'period'])).toEqual([
      { parameter: 'market', literal: 'PH' },
      { parameter: 'period', literal: '2025-02-01/2025-02-28' },
    ])
  })

  it('finds nothing where two readings fit', () => {
    const text = 'SELECT count(*) AS n FROM t WHERE a IN ({{ market }}, {{ other }})'
    const parameters = new Map(metricOf('x').parameters).set('other', { type: 'enum', values: new Map() })
    const solved = solveBindings({
      parser,
      dialect: 'duckdb',
      metric: { ...metricOf('x'), parameters },
      snippet: snippetOf('x', text),
      expectedSql: "SELECT count(*) AS n FROM t WHERE a IN ('ID', 'PH')",
      known: [],
      unknown: ['market', 'other'],
    })
    expect(solved).toBeUndefined()
  })

  it('finds nothing for a parameter that the snippet does not use', () => {
    expect(solve(dau, render(dau, november), ['n'])).toBeUndefined()
  })
})
