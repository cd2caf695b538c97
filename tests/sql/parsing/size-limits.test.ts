import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
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

const tooDeep = /^The query is nested or chained deeper than \d+ levels, the limit of the parser$/

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

  it('takes no memory of the parser away, however often it is read', () => {
    const shapes: [string, number, (count: number) => string][] = [
      ['a sum beyond what is parsed', 12_000, (count) => from(many(count, (i) => `a${i}`, ' + '))],
      ['a sum', 1900, (count) => from(many(count, (i) => `a${i}`, ' + '))],
      ['casts', 1900, (count) => from(`a${many(count, () => '::int')}`)],
      ['BETWEEN after BETWEEN', 900, (count) => where(`a${many(count, () => ' BETWEEN 1 AND 2')}`)],
      ['parentheses', 1980, (count) => from(`${many(count, () => '(')}1${many(count, () => ')')}`)],
      ['brackets', 1980, (count) => from(`${many(count, () => '[')}1${many(count, () => ']')}`)],
      ['a union', 990, (count) => many(count, (i) => `SELECT ${i}`, ' UNION ALL ')],
    ]
    // No text twice: what was read once is remembered.
    const texts = shapes.flatMap(([, most, text]) =>
      Array.from({ length: 8 }, (_, time) => text(most - time)),
    )
    const pages = pagesAfterEach(texts)
    for (const [at, [name]] of shapes.entries()) {
      const own = pages.slice(at * 8 + 1, at * 8 + 8)
      expect(own, `pages while ${name} is read`).toEqual(own.map(() => own[0]))
    }
  })
})

/** Pages of WebAssembly memory that the parser holds after each of the texts, in a process of its own. */
function pagesAfterEach(texts: readonly string[]): number[] {
  const script = `
    const { Instance } = WebAssembly
    let memory
    WebAssembly.Instance = function (...given) {
      const made = new Instance(...given)
      memory = made.exports.memory
      return made
    }
    const { loadSqlParser } = await import(${JSON.stringify(new URL('../../../build/modules/sql/parser.js', import.meta.url).href)})
    const parser = await loadSqlParser()
    const pages = JSON.parse(readFileSync(0, 'utf8')).map((sql) => {
      parser.parse(sql, 'ansi')
      return memory.buffer.byteLength / 65536
    })
    console.log(JSON.stringify(pages))`
  const args = ['--input-type=module', '-e', `import { readFileSync } from 'node:fs'\n${script}`]
  const output = execFileSync(process.execPath, args, { input: JSON.stringify(texts), encoding: 'utf8' })
  return z.array(z.number()).parse(JSON.parse(output))
}

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
