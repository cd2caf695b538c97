import { describe, expect, it } from 'vitest'
import { findRepeatedEnd } from '../../src/llm/repeated-end.js'

describe('a text that repeats itself until its end', () => {
  it.each([
    ['one digit', `{"sql": "SELECT ${'0'.repeat(200)}`, 1],
    ['a word', `SELECT a${', total'.repeat(40)}`, 7],
    ['a sentence', `Well. ${'You can count the orders in this way. '.repeat(12)}`, 38],
    ['a part that was cut within itself', `x ${'AND market = 1 '.repeat(20)}AND ma`, 15],
    ['line ends', `{ "answer": ${'\n'.repeat(150)}`, 1],
    ['a counter', `SELECT ${Array.from({ length: 300 }, (_, n) => `c${100 + n}`).join(', ')}`, 6],
  ])('%s', (_name, text, period) => {
    expect(findRepeatedEnd(text)?.period).toBe(period)
  })

  it('tells where that starts', () => {
    expect(findRepeatedEnd(`SELECT 1${'0'.repeat(200)}`)).toEqual({ start: 8, period: 1 })
  })
})

describe('a text that does not', () => {
  it.each([
    ['a query', 'SELECT market, sum(amount) AS gmv FROM orders WHERE status = 1 GROUP BY market ORDER BY 1'],
    ['a rule of dashes', `-- ${'-'.repeat(78)}\nSELECT 1`],
    ['dashes at the end', `SELECT 1 -- ${'-'.repeat(78)}`],
    [
      'a list of ids',
      `SELECT 1 WHERE id IN (${Array.from({ length: 90 }, (_, n) => 10_007 + 13 * n).join(', ')}`,
    ],
    [
      'branches that are alike',
      `SELECT CASE ${['ID', 'TH', 'PH', 'SG', 'MY', 'VN', 'JP', 'KR'].map((code) => `WHEN market = '${code}' THEN 1 `).join('')}`,
    ],
    ['nothing', ''],
  ])('%s', (_name, text) => {
    expect(findRepeatedEnd(text)).toBeUndefined()
  })
})
