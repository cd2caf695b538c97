import { expect, it } from 'vitest'
import { markedQueries } from '../../../packages/report-page/src/marked-queries.js'

const kinds = (side: readonly { text: string; kind: string }[], kind: string): string[] =>
  side.filter((part) => part.kind === kind).map(({ text }) => text.trim())

it('marks what a difference names, and neither layout nor letters', () => {
  const expected = "SELECT count(*) AS n\nFROM orders o\nWHERE o.status = 'paid'\n  AND o.day > 3"
  const generated = 'select COUNT(*) as n from orders x where x.day > 3'
  const [left, right] = markedQueries(expected, generated, ["filter missing: status = 'paid'"])
  expect(kinds(left, 'matters').join(' ')).toContain("status = 'paid'")
  expect(kinds(right, 'matters')).toEqual([])
  expect(kinds(right, 'differs-in-form').join(' ')).toContain('x')
  expect(left.map(({ text }) => text).join('')).toBe(expected)
  expect(right.map(({ text }) => text).join('')).toBe(generated)
})

it('marks every difference where none is named, and none in equal queries', () => {
  const [left, right] = markedQueries('SELECT 1', 'SELECT 2', ['1 of 1 rows differ'])
  expect([kinds(left, 'matters'), kinds(right, 'matters')]).toEqual([['1'], ['2']])
  expect(
    markedQueries('SELECT a', 'select  A', [])
      .flat()
      .every(({ kind }) => kind === 'same'),
  ).toBe(true)
})

it('a condition that only moved is not marked with the one beside it that matters', () => {
  const [, right] = markedQueries(
    "SELECT 1 FROM t WHERE day > 3 AND market = 'SG'",
    "SELECT 1 FROM t WHERE market = 'SG' AND is_house = FALSE AND day > 3",
    ['filter extra: is_house = FALSE'],
  )
  expect(kinds(right, 'matters')).toEqual(['is_house = FALSE'])
})
