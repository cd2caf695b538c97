import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import type { RowComparison } from '../../src/compare/model/sql-score.js'
import { rowLines } from '../../src/report/row-differences.js'

const comparison = (part: Partial<RowComparison>): RowComparison => ({
  match: false,
  expectedRows: 1,
  actualRows: 1,
  columns: ['period', 'dau'],
  differing: 1,
  differences: [],
  ...part,
})

const texts = (part: Partial<RowComparison>, width = 60): string[] =>
  rowLines(comparison(part), { width, rows: 3 }).map((line) => `${line.sign} ${line.text}`)

it('shows expected with minus and the answer with plus, in aligned columns', () => {
  const differences = [
    { kind: 'changed', expected: ['2025-11', 474.97], actual: ['2025-11', 949.93], cells: [1] },
    { kind: 'missing', row: ['2025-12', null] },
    { kind: 'extra', row: [{ kind: 'date', text: '2025-01-01' }, 12n] },
  ] as const
  expect(texts({ differences })).toEqual([
    '  period       dau',
    '- 2025-11      474.97',
    '+ 2025-11      949.93',
    '- 2025-12      NULL',
    '+ 2025-01-01   12',
  ])
})

it('shows the types of cells that would look alike', () => {
  const differences = [{ kind: 'changed', expected: ['a', '1'], actual: ['a', 1], cells: [1] }] as const
  expect(texts({ differences }).slice(1)).toEqual(['- a        "1"', '+ a        1'])
})

it('shows where two long texts part', () => {
  const long = 'x'.repeat(100)
  const differences = [
    { kind: 'changed', expected: ['a', `${long}1 end`], actual: ['a', `${long}2 end`], cells: [1] },
  ] as const
  const [, expected, actual] = texts({ differences })
  expect(expected).toContain('…xxxx')
  expect(expected).toContain('1 end')
  expect(actual).toContain('2 end')
})

it('keeps the changed columns and the first where not all fit', () => {
  const columns = Array.from({ length: 12 }, (_, at) => `column_${at}`)
  const expected = columns.map((_, at) => `value ${at}`)
  const actual = expected.map((value, at) => (at === 9 ? 'other' : value))
  const lines = texts({ columns, differences: [{ kind: 'changed', expected, actual, cells: [9] }] }, 40)
  expect(lines[0]).toContain('column_0')
  expect(lines[0]).toContain('column_9')
  expect(lines[0]).toMatch(/… \d+ more$/)
  expect(lines[2]).toContain('other')
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(42)
})

it('aligns wide characters by what a terminal shows', () => {
  const differences = [
    { kind: 'missing', row: ['日本', 1] },
    { kind: 'missing', row: ['ab', 2] },
  ] as const
  const [, wide, narrow] = texts({ differences })
  expect(stringWidth(wide?.split('1')[0] ?? '')).toBe(stringWidth(narrow?.split('2')[0] ?? ''))
})

it('has no lines where only columns or order differ', () => {
  expect(texts({ differences: [{ kind: 'order', text: 'rows come in another order' }] })).toEqual([])
})
