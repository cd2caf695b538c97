import { beforeAll, describe, expect, it } from 'vitest'
import { addedWords } from '../../../../../src/domains/sql/repair/model/edited-words.js'
import {
  aliasLeaks,
  choiceLeaks,
  type LeakContext,
  snippetLeaks,
  titleLeaks,
} from '../../../../../src/domains/sql/repair/validate/benchmark-leaks.js'
import { interpret } from '../../../../../src/kb/interpret-question.js'
import { loadSqlParser, type SqlParser, type SqlToken } from '../../../../../src/sql/index.js'
import { parseFiles } from '../../../../kb/knowledge-files.js'
import { caseOf, shop } from '../shop.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const kb = parseFiles(shop)

function tokens(sql: string): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, 'sqlite')
  if (outcome.kind !== 'tokens') throw new Error(outcome.message)
  return outcome.tokens
}

function contextOf(question: string, expected: string): LeakContext {
  const { bindings, aliasSpan } = interpret(question, kb, '2025-12-31')
  return { testCase: caseOf('c', question, expected), bindings, name: aliasSpan, expected: tokens(expected) }
}

function leaks(before: string, after: string, ...cases: LeakContext[]): string[] {
  return snippetLeaks(tokens(before), tokens(after), cases)
}

describe('snippetLeaks', () => {
  const asked = (expected: string) => contextOf('ID revenue in November 2025', expected)

  it('accepts a literal that was there before', () => {
    expect(leaks("SELECT 'ID'", "SELECT 'ID', 'ID'", asked('SELECT 1'))).toEqual([])
  })

  it('accepts a literal that the expected query has and the question does not have', () => {
    expect(
      leaks('SELECT 1', "SELECT 1 WHERE status = 'paid'", asked("SELECT x WHERE status = 'paid'")),
    ).toEqual([])
  })

  it('accepts a literal that one case spells otherwise only where every case was tried, and one has it', () => {
    const [paid, other] = [asked("SELECT x WHERE status = 'paid'"), asked("SELECT x WHERE status <> 'open'")]
    const [before, after] = [tokens('SELECT x'), tokens("SELECT x WHERE status = 'paid'")]
    const refused = ["unexplained literal 'paid': case c does not share it"]
    expect(snippetLeaks(before, after, [paid, other])).toEqual(refused)
    expect(snippetLeaks(before, after, [paid, other], false, true)).toEqual([])
    expect(snippetLeaks(before, after, [other], false, true)).toEqual(refused)
    const market = tokens("SELECT x WHERE market = 'ID'")
    const inId = asked("SELECT x WHERE market = 'ID'")
    expect(snippetLeaks(before, market, [inId, other], false, true)[0]).toContain(
      "'ID' is the value of market",
    )
  })

  it('refuses a number that counts the days of the period', () => {
    expect(leaks('SELECT x', 'SELECT x / 30', asked('SELECT x / 30'))).toEqual([
      '30 or {{ period.days }}: every case asks for 30 days, so the cases cannot decide',
    ])
  })

  it('accepts it where a case with another number of days has it too, and refuses it where such a case has none', () => {
    const month = 'SELECT substr(day, 1, 7), x'
    const week = contextOf('ID revenue in the last 7 days', month)
    expect(leaks('SELECT x, 1', month, week)[0]).toContain('so the cases cannot decide')
    expect(leaks('SELECT x, 1', month, week, asked(month))).toEqual([])
    const sameDays = contextOf('TH revenue from 1 Nov to 7 Nov 2025', month)
    expect(leaks('SELECT x, 1', month, week, sameDays)[0]).toContain('so the cases cannot decide')
    expect(leaks('SELECT x, 1', month, week, asked('SELECT x'))[0]).toContain('is the value of period')
  })

  it('refuses another day of the year that all cases ask about, until one asks about another year', () => {
    const since = "SELECT x WHERE day >= '2025-01-01'"
    const november = contextOf('ID revenue in November 2025', since)
    expect(leaks('SELECT x', since, november)[0]).toContain('it may belong to the period')
    const earlier = contextOf('ID revenue in November 2024', since)
    expect(leaks('SELECT x', since, november, earlier)).toEqual([])
  })

  it('does not treat the 1 of a function as a parameter of value 1', () => {
    const top = contextOf('top 1 units sold in ID in November 2025 by channel', 'SELECT substr(day, 1, 7)')
    expect(leaks('SELECT x', 'SELECT substr(day, 1, 7)', top)).toEqual([])
  })

  it('refuses a word of the question that belongs to no parameter', () => {
    const web = contextOf('web revenue in ID in November 2025', "SELECT x WHERE channel = 'web'")
    expect(leaks('SELECT x', "SELECT x WHERE channel = 'web'", web)).toEqual([
      "unexplained literal 'web': the question of case c has it, and no parameter matches it",
    ])
  })

  it('accepts a word that the question has in the name of the metric only', () => {
    const kind = "SELECT x WHERE kind = 'revenue'"
    expect(leaks('SELECT x', kind, contextOf('ID revenue in November 2025', kind))).toEqual([])
    const twice = contextOf('ID revenue in November 2025 without revenue', kind)
    expect(leaks('SELECT x', kind, twice)[0]).toContain('no parameter matches it')
  })
})

describe('aliasLeaks', () => {
  it('refuses a word that means nothing by itself', () => {
    expect(aliasLeaks('in', 'metric:units', kb, kb, [contextOf('units in ID', 'SELECT 1')])).toEqual([
      'alias "in" has only stop words',
    ])
  })

  const problems = (alias: string, question: string): string[] =>
    aliasLeaks(alias, 'metric:units', kb, kb, [contextOf(question, 'SELECT 1')])

  it('refuses a value that only a default gives', () => {
    expect(problems('above 10', 'units above 10 in ID')).toEqual([])
    const bound = contextOf('units sold in ID above 10 in November 2025 by channel', 'SELECT 1')
    expect(aliasLeaks('above 10', 'metric:units', kb, kb, [bound])).toEqual([
      'alias "above 10" contains the value "10"',
    ])
  })

  it('refuses a value of the metric, although the question means no metric yet', () => {
    expect(problems('items Thailand', 'items Thailand by channel')[0]).toContain(
      'contains the value "Thailand"',
    )
    expect(problems('items by channel', 'items by channel')[0]).toContain('contains the value "by channel"')
  })

  it('refuses a period', () => {
    expect(problems('items last month', 'items last month')[0]).toContain('contains the value "last month"')
  })

  it('accepts a short name', () => {
    expect(problems('pieces sold', 'pieces sold in ID')).toEqual([])
  })
})

describe('titleLeaks', () => {
  const asked = () => [contextOf('ID revenue in November 2025', 'SELECT 1')]

  it('accepts prose of any length', () => {
    expect(
      titleLeaks('Turnover of paid sales, without those of tests', 'metric:revenue', kb, asked()),
    ).toEqual([])
  })

  it.each(['Revenue of ID', 'Revenue in November 2025', 'Revenue of Indonesia'])('refuses %s', (title) => {
    expect(titleLeaks(title, 'metric:revenue', kb, asked())[0]).toMatch(/^title .* contains the value/)
  })
})

describe('choiceLeaks', () => {
  const byMonth = () => contextOf('ID units sold in November 2025 by month', "SELECT strftime('%Y-%m', day)")
  const plain = () => contextOf('TH units sold in May 2025', 'SELECT 1')

  it('accepts a literal that some expected query has', () => {
    expect(choiceLeaks([], tokens("SELECT strftime('%Y-%m', day)"), [byMonth(), plain()])).toEqual([])
  })

  it('refuses the value of another parameter, and what no expected query has', () => {
    const cheat = tokens("SELECT CASE WHEN market = 'ID' THEN 'x' END")
    expect(choiceLeaks([], cheat, [byMonth(), plain()])).toEqual([
      "literal 'ID' is the value of market in case c: it belongs in a placeholder",
      "unexplained literal 'x': no expected query has it",
    ])
  })
})

describe('addedWords', () => {
  it('does not treat a title, default or expression as a word', () => {
    const edit = {
      kind: 'edit_metric',
      path: 'p',
      entry: 'metric:m',
      action: 'set',
      value: 'a text',
    } as const
    const places = [['title'], ['parameters', 'n', 'default'], ['parameters', 'by', 'values', 'day', 'sql']]
    expect(places.flatMap((at) => addedWords([{ ...edit, at }]))).toEqual([])
    expect(addedWords([{ ...edit, at: ['aliases'], action: 'append' }])).toHaveLength(1)
  })

  it('finds words in lists and maps, and leaves out codes and words that were there', () => {
    const edit = { kind: 'edit_metric', path: 'p', entry: 'metric:m', action: 'set', at: [] } as const
    expect(addedWords([{ ...edit, expected: ['ID'], value: { ID: [], TH: ['Thailand'] } }])).toEqual([
      { entry: 'metric:m', word: 'Thailand' },
    ])
    expect(addedWords([{ ...edit, expected: ['best'], value: ['best', 'top'] }])).toEqual([
      { entry: 'metric:m', word: 'top' },
    ])
    expect(addedWords([{ ...edit, action: 'remove', expected: 'old' }])).toEqual([])
  })
})
