import { describe, expect, it } from 'vitest'
import { commentOnlyText } from '../../src/agent/comment-only-sql.js'

describe('words in comments are told where there is no query', () => {
  it.each([
    ['-- I cannot answer this', 'I cannot answer this'],
    ['/* no data\n   for it */;', 'no data\n   for it'],
    ['  -- no data\n--\n-- at all\n;', 'no data at all'],
    ['# which market?', 'which market?'],
    ['/* it ends early', 'it ends early'],
  ])('%s', (sql, words) => {
    expect(commentOnlyText(sql)).toBe(words)
  })
})

describe('a text is left to the database', () => {
  it.each([
    ['of a query behind a comment', '-- paid alone\nSELECT 1'],
    ['of a query before one', 'SELECT 1 -- paid alone'],
    ['of a comment that MySQL runs', '/*! SELECT 1 */'],
    ['of words', 'I cannot answer'],
    ['without words', '-- ----\n;'],
    ['of a semicolon', ';'],
  ])('%s', (_name, sql) => {
    expect(commentOnlyText(sql)).toBeUndefined()
  })

  it('of a hundred thousand comments, at once', () => {
    expect(commentOnlyText(`${'/* a */ '.repeat(100_000)}x`)).toBeUndefined()
  })
})
