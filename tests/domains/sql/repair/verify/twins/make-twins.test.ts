import { beforeAll, describe, expect, it } from 'vitest'
import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import {
  type BoundInterpretation,
  makeTwins,
} from '../../../../../../src/domains/sql/repair/verify/twins/make-twins.js'
import type { Metric } from '../../../../../../src/kb/entry.js'
import type { Binding } from '../../../../../../src/kb/question-interpretation.js'
import { loadSqlParser, type SqlParser } from '../../../../../../src/sql/index.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const metric: Metric = {
  id: 'metric:dau',
  name: 'dau',
  title: 'Daily active users',
  aliases: ['DAU'],
  snippet: 'dau.sql',
  path: 'kb/metrics/dau.yaml',
  parameters: new Map([
    [
      'market',
      {
        type: 'enum',
        values: new Map([
          ['ID', ['Indonesia']],
          ['TH', ['Thailand']],
          ['PH', []],
        ]),
      },
    ],
    ['period', { type: 'date_range' }],
    ['n', { type: 'number', words: ['top'], integer: true }],
    [
      'kind',
      {
        type: 'choice',
        values: new Map([
          ['any', { sql: 'e.kind', aliases: ['all kinds'] }],
          ['private', { sql: "'private'", aliases: ['private classes'] }],
          ['group', { sql: "'group'", aliases: ['group classes'] }],
        ]),
      },
    ],
  ] as const),
}

const november = { kind: 'date_range', grain: 'month', start: '2025-11-01', end: '2025-11-30' } as const

function twinsOf(
  question: string,
  expectedSql: string,
  values: Readonly<Record<string, readonly [Binding['value'], string]>>,
) {
  const testCase: SqlCase = {
    kind: 'sql',
    id: 'c',
    question,
    expectedSql,
    tags: [],
    compare: {},
    location: { file: 'b.yaml', line: 1, column: 1 },
    sqlLocation: { file: 'b.yaml', line: 1, column: 1 },
  }
  const bindings = Object.entries(values).map(([parameter, [value, text]]): Binding => {
    const start = question.indexOf(text)
    return { parameter, value, span: { start, end: start + text.length, text } }
  })
  const meaning: BoundInterpretation = {
    kind: 'bound',
    metric,
    aliasSpan: { start: 0, end: 0, text: '' },
    bindings,
  }
  const outcome = parser.tokenize(expectedSql, 'duckdb')
  if (outcome.kind !== 'tokens') throw new Error(outcome.message)
  return makeTwins(testCase, outcome.tokens, meaning)
}

describe('makeTwins', () => {
  it('changes a market in question and query together', () => {
    const twins = twinsOf('ID DAU', "SELECT 1 FROM t WHERE region = 'ID'", {
      market: [{ kind: 'enum', code: 'ID' }, 'ID'],
    })
    expect(twins.get('market')?.map(({ testCase }) => [testCase.question, testCase.expectedSql])).toEqual([
      ['TH DAU', "SELECT 1 FROM t WHERE region = 'TH'"],
      ['PH DAU', "SELECT 1 FROM t WHERE region = 'PH'"],
    ])
  })

  it('exchanges choices that are texts, with texts and with columns', () => {
    const twins = twinsOf('DAU of private classes', "SELECT 1 FROM t WHERE kind = 'private'", {
      kind: [{ kind: 'choice', name: 'private', sql: "'private'" }, 'private classes'],
    })
    expect(twins.get('kind')?.map(({ testCase }) => [testCase.question, testCase.expectedSql])).toEqual([
      ['DAU of group classes', "SELECT 1 FROM t WHERE kind = 'group'"],
      ['DAU of all kinds', 'SELECT 1 FROM t WHERE kind = kind'],
    ])
  })

  it('names the other market as the question names its own', () => {
    const twins = twinsOf('DAU of Indonesia', "SELECT 1 FROM t WHERE region = 'ID'", {
      market: [{ kind: 'enum', code: 'ID' }, 'Indonesia'],
    })
    expect(twins.get('market')?.[0]?.testCase.question).toBe('DAU of Thailand')
  })

  it('moves inclusive and exclusive bounds of a period alike', () => {
    const values = { period: [november, 'November 2025'] as const }
    const between = twinsOf(
      'DAU in November 2025',
      "SELECT 1 FROM t WHERE d BETWEEN DATE '2025-11-01' AND '2025-11-30'",
      values,
    )
    expect(between.get('period')?.[0]?.testCase).toMatchObject({
      question: 'DAU in October 2025',
      expectedSql: "SELECT 1 FROM t WHERE d BETWEEN DATE '2025-10-01' AND '2025-10-31'",
    })
    const exclusive = twinsOf(
      'DAU in November 2025',
      "SELECT 1 FROM t WHERE d >= '2025-11-01' AND d < '2025-12-01 00:00:00'",
      values,
    )
    expect(exclusive.get('period')?.[0]?.testCase.expectedSql).toBe(
      "SELECT 1 FROM t WHERE d >= '2025-10-01' AND d < '2025-11-01 00:00:00'",
    )
  })

  it('gives none where a number counts the days of the period', () => {
    const twins = twinsOf(
      'DAU in November 2025',
      "SELECT sum(x) / 30 FROM t WHERE d >= '2025-11-01' AND d <= '2025-11-30'",
      {
        period: [november, 'November 2025'],
      },
    )
    expect(twins.get('period')?.every(({ testCase }) => !testCase.question.includes('October')) ?? true).toBe(
      true,
    )
  })

  it('varies a part of a year only where the query says the year by its bounds alone', () => {
    const year = { kind: 'date_range', grain: 'year', start: '2025-01-01', end: '2025-12-31' } as const
    const parts = (condition: string): string[] =>
      (
        twinsOf('DAU in 2025', `SELECT 1 FROM t WHERE ${condition}`, { period: [year, '2025'] }).get(
          'period',
        ) ?? []
      )
        .filter(({ testCase }) => testCase.question.includes('Q2'))
        .map(({ testCase }) => testCase.expectedSql.slice('SELECT 1 FROM t WHERE '.length))
    expect(parts("d BETWEEN '2025-01-01' AND '2025-12-31'")).toEqual([
      "d BETWEEN '2025-04-01' AND '2025-06-30'",
    ])
    expect(parts("d >= '2025-01-01' AND d < '2026-01-01'")).toEqual([
      "d >= '2025-04-01' AND d < '2025-07-01'",
    ])
    for (const other of [
      "d >= '2025-01-01'",
      "strftime('%Y', d) = '2025'",
      'year(d) = 2025',
      "d BETWEEN '2025-01-01' AND '2025-12-31' AND y = 2025",
      "d BETWEEN '2025-01-01' AND '2025-12-31' AND e > '2025-03-01'",
    ])
      expect(parts(other)).toEqual([])
  })

  it('treats the 5 of LIMIT as the 5 of "top 5", never that of a function', () => {
    const twins = twinsOf('top 5 DAU', 'SELECT substr(a, 1, 5) FROM t LIMIT 5', {
      n: [{ kind: 'number', value: 5 }, 'top 5'],
    })
    expect(twins.get('n')?.[0]?.testCase).toMatchObject({
      question: 'top 6 DAU',
      expectedSql: 'SELECT substr(a, 1, 5) FROM t LIMIT 6',
    })
  })

  it('gives none for a value that the query does not hold', () => {
    const twins = twinsOf('ID DAU', 'SELECT 1 FROM t', { market: [{ kind: 'enum', code: 'ID' }, 'ID'] })
    expect(twins.size).toBe(0)
  })
})
