import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/enums/dialect.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import type { SqlToken } from '../../src/sql/tokens.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

function tokens(sql: string, dialect: Dialect = 'trino'): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, dialect)
  expect(outcome.kind).toBe('tokens')
  return outcome.kind === 'tokens' ? outcome.tokens : []
}

function kinds(sql: string, dialect: Dialect = 'trino'): string[] {
  return tokens(sql, dialect).map(({ kind, value }) => `${kind} ${value}`)
}

describe('tokens', () => {
  it('have a kind and a value', () => {
    expect(kinds(`select "Q" , 'it''s' <= 1.5e3`)).toEqual([
      'word SELECT',
      'quoted Q',
      'symbol ,',
      "string it's",
      'symbol <=',
      'number 1.5e3',
    ])
  })

  it('leave out comments and white space', () => {
    expect(kinds('a /* b */ -- c\n d')).toEqual(['word A', 'word D'])
  })

  it('slice the source by UTF-16 offsets, beyond the basic plane too', () => {
    const sql = `SELECT '😀', "é😀" , {{ market }} FROM t`
    for (const token of tokens(sql)) expect(sql.slice(token.start, token.end)).toBe(token.text)
    expect(tokens(sql).at(-1)).toMatchObject({ text: 't', start: sql.length - 1, end: sql.length })
  })

  it.each([
    ['{{ market }}', ['placeholder market']],
    ['{{period.start}}', ['placeholder period.start']],
    ['{{ period.end }}-{{a}}', ['placeholder period.end', 'symbol -', 'placeholder a']],
    ['x{{ a }}y', ['word X', 'placeholder a', 'word Y']],
    ['{{a}}{{b}}', ['placeholder a', 'placeholder b']],
    ["'{{ a }}'", ['string {{ a }}']],
    ['{{ a b }}', ['symbol {', 'symbol {', 'word A', 'word B', 'symbol }', 'symbol }']],
    ['{ {a} }', ['symbol {', 'symbol {', 'word A', 'symbol }', 'symbol }']],
  ])('make one token of a placeholder: %s', (sql, expected) => {
    expect(kinds(sql)).toEqual(expected)
  })

  it('follow the dialect on double quotes', () => {
    expect(kinds('"a"', 'mysql')).toEqual(['string a'])
    expect(kinds('"a"', 'sqlite')).toEqual(['quoted a'])
    expect(kinds('[a b]', 'sqlite')).toEqual(['quoted a b'])
  })

  it('of an unterminated string are an error in words', () => {
    expect(parser.tokenize("select 'a", 'trino')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('string'),
    })
  })
})
