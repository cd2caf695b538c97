import { beforeAll, describe, expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const many = (count: number, part: (index: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(between)
const from = (columns: string): string => `SELECT ${columns} FROM t`
const where = (condition: string): string => `SELECT a FROM t WHERE ${condition}`

/** What is said of a query that is not compared, or its verdict. */
function said(expected: string, generated = 'SELECT 1'): string {
  const found = compareQueries(parser, expected, generated, 'ansi')
  return found.kind === 'unparsable' ? found.message : found.kind
}

const tooDeep = /^The query is nested or chained deeper than \d+ levels, which is more than is read$/

describe('a query that is chained or nested too deeply', () => {
  it.each([
    ['a sum of 600', from(many(600, (i) => `a${i}`, ' + '))],
    ['a sum of 30,000', from(many(30_000, (i) => `a${i}`, ' + '))],
    ['texts put together', from(many(30_000, (i) => `a${i}`, ' || '))],
    ['casts of casts', from(`a${many(20_000, () => '::int')}`)],
    ['BETWEEN after BETWEEN', where(`a${many(20_000, () => ' BETWEEN 1 AND 2')}`)],
    ['brackets in brackets', from(`${many(20_000, () => '[')}1${many(20_000, () => ']')}`)],
    ['parentheses', from(`${many(20_000, () => '(')}1${many(20_000, () => ')')}`)],
    ['a union of thousands', many(5000, (i) => `SELECT ${i}`, ' UNION ALL ')],
  ])('says so: %s', (_name, sql) => {
    expect(said(sql)).toMatch(tooDeep)
  })

  it('takes no memory away for good, however often it is read', () => {
    const sum = from(many(12_000, (i) => `a${i}`, ' + '))
    const read = (times: number, first: number): void => {
      for (let time = 0; time < times; time++) said(`${sum} WHERE b = ${first + time}`)
    }
    // What is garbage by then and not collected yet is room that the others use again.
    read(40, 0)
    const before = process.memoryUsage().rss
    read(80, 40)
    // Each overflow of the parser's stack took 7 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(400e6)
    expect(said(from(many(400, (i) => `a${i}`, ' + ')))).toBe('different')
  })
})

describe('a query too large to compare by structure', () => {
  it.each([
    ['150,000 values', where(`b IN (${many(150_000, String, ',')})`), '150,000 operands'],
    ['120,000 alternatives', where(many(120_000, (i) => `b=${i}`, ' OR ')), '120,000 operands'],
    ['30,000 columns', from(many(30_000, (i) => `a${i}`, ', ')), '30,000 columns'],
    ['30,000 sums', from(many(30_000, (i) => `sum(a${i})`, ', ')), '30,000 columns'],
  ])('says how large: %s', (_name, sql, words) => {
    expect(said(sql)).toMatch(
      new RegExp(`^The query is too large to compare by structure: ${words} .* [\\d,]+ at most$`),
    )
  })

  it('is not one whose texts and comments only look so', () => {
    const text = `'${many(20_000, () => 'a + ')}'`
    expect(said(`SELECT ${text} /* ${many(20_000, () => 'a, b ')} */`, `select ${text}`)).toBe('equal')
  })
})

describe('a large query', () => {
  it.each([
    [
      'values',
      where(`b IN (${many(60_000, String, ', ')})`),
      where(`b IN (${many(60_000, (i) => String(59_999 - i), ', ')})`),
    ],
    [
      'alternatives',
      where(many(30_000, (i) => `b = ${i}`, ' OR ')),
      where(`b IN (${many(30_000, String, ', ')})`),
    ],
    [
      'branches',
      from(`CASE ${many(15_000, (i) => `WHEN b = ${i} THEN ${i % 7}`, ' ')} END`),
      from(`CASE b ${many(15_000, (i) => `WHEN ${i} THEN ${i % 7}`, ' ')} END`),
    ],
    [
      'branches of one result',
      from(`CASE ${many(15_000, (i) => `WHEN b = ${i} THEN 1`, ' ')} END`),
      from(`CASE WHEN ${many(15_000, (i) => `b = ${i}`, ' OR ')} THEN 1 END`),
    ],
    [
      'columns that equal the next',
      where(many(9000, (i) => `c${i} = c${i + 1}`, ' AND ')),
      where(many(9000, (i) => `c${9000 - i} = c${8999 - i}`, ' AND ')),
    ],
    [
      'NULL tests',
      where(many(9000, (i) => `c${i} IS NOT NULL`, ' AND ')),
      where(many(9000, (i) => `c${8999 - i} IS NOT NULL`, ' AND ')),
    ],
  ])('of thousands of %s is compared, not each with each', { timeout: 60_000 }, (_name, one, other) => {
    expect(said(one, other)).toBe('equal')
  })
})
