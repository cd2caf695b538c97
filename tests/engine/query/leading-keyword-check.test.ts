import { describe, expect, it } from 'vitest'
import { refusalByLeadingKeyword } from '../../../src/engine/query/leading-keyword-check.js'
import type { Dialect } from '../../../src/enums/dialect.js'

const refusal = (sql: string, dialect: Dialect = 'sqlite') =>
  refusalByLeadingKeyword(sql, ['SELECT'], dialect)

describe('the beginning of a statement', () => {
  it.each([
    'SELECT 1',
    ' \n\t(select 1)',
    '-- x\nSELECT 1',
    '/* DROP */ /**/ Select 1',
    '\u00a0\ufeffSELECT 1',
  ])('lets %j pass', (sql) => expect(refusal(sql)).toBeUndefined())

  it.each([
    ['', 'the statement is empty'],
    ['-- SELECT', 'the statement is empty'],
    ['/* SELECT', 'the statement is empty'],
    ['SELECT 1\0', 'NUL'],
    ['drop table a', 'begins with DROP'],
    ['; SELECT 1', 'begins with ;'],
    ['SELECTED', 'begins with SELECTED'],
    ['\u200bSELECT 1', 'begins with the invisible character U+200B'],
    ['/* SELECT */ INSERT INTO a VALUES (1)', 'begins with INSERT'],
  ])('refuses %j', (sql, reason) => expect(refusal(sql)).toContain(reason))

  it('reads nested comments as its engine does', () => {
    const sql = '/* /* */ SELECT */ CREATE TEMP TABLE t AS SELECT 1'
    expect(refusal(sql, 'duckdb')).toContain('CREATE')
    expect(refusal(sql)).toBeUndefined()
  })
})
