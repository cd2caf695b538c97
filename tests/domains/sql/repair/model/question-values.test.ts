import { beforeAll, describe, expect, it } from 'vitest'
import {
  derivesFromQuestion,
  matchValueAt,
  type QuestionValue,
  questionValues,
} from '../../../../../src/domains/sql/repair/model/question-values.js'
import { loadSqlParser, type SqlParser, type SqlToken } from '../../../../../src/sql/index.js'
import { bindingsOf, december, november } from '../propose/rules/snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

function tokens(sql: string): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, 'duckdb')
  if (outcome.kind !== 'tokens') throw new Error(outcome.message)
  return outcome.tokens
}

function values(question = november): QuestionValue[] {
  return questionValues(bindingsOf(question), parser, 'duckdb')
}

describe('valueAt', () => {
  it.each(["'2025-11-30'", "DATE '2025-11-30'", "CAST('2025-11-30' AS DATE)", "'2025-11-30'::DATE"])(
    'reads %s as the last day of the period',
    (sql) => {
      expect(matchValueAt(tokens(sql), 0, values())).toEqual({
        to: tokens(sql).length,
        placeholders: ['period.end'],
      })
    },
  )

  it('knows the day after the period, and texts and numbers by type', () => {
    expect(matchValueAt(tokens("DATE '2025-12-01'"), 0, values())?.placeholders).toEqual([
      'period.end_exclusive',
    ])
    expect(matchValueAt(tokens("'ID'"), 0, values())?.placeholders).toEqual(['market'])
    expect(matchValueAt(tokens('5'), 0, values())?.placeholders).toEqual(['n'])
    expect(matchValueAt(tokens("'5'"), 0, values())).toBeUndefined()
  })

  it('names every placeholder that has the value', () => {
    const day = { ...november, end: november.start }
    expect(matchValueAt(tokens("'2025-11-01'"), 0, values(day))?.placeholders).toEqual([
      'period.start',
      'period.end',
    ])
  })

  it('reads a chosen expression, but not the last part of a name', () => {
    expect(matchValueAt(tokens("DATE_TRUNC('month', paid_at)"), 0, values(december))?.placeholders).toEqual([
      'by',
    ])
    expect(matchValueAt(tokens('o.channel'), 2, values())).toBeUndefined()
  })
})

describe('speaksOfQuestion', () => {
  it.each(["'ID'", "'2025-11'", "'2025-11-01 00:00:00'", '2025'])('refuses %s', (sql) => {
    expect(tokens(sql).some((token) => derivesFromQuestion(token, values()))).toBe(true)
  })

  it.each(["'local'", "'20'", '7', '100.0'])('allows %s', (sql) => {
    expect(tokens(sql).some((token) => derivesFromQuestion(token, values()))).toBe(false)
  })
})
