import { expect, it } from 'vitest'
import {
  keepCurrentComments,
  revertChange,
  withLineEndsOf,
} from '../../../../../src/domains/sql/repair/model/revert-change.js'

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('')
const before = text('SELECT a', 'FROM t', 'WHERE x', 'AND y', 'AND z')
const after = text('SELECT a', 'FROM t', 'WHERE x', 'AND z')

it.each([
  ['nothing', after, before],
  [
    'a comment where the line was',
    text('SELECT a', 'FROM t', 'WHERE x', '-- why', 'AND z'),
    text('SELECT a', 'FROM t', 'WHERE x', 'AND y', '-- why', 'AND z'),
  ],
  [
    'the line above',
    text('SELECT a', 'FROM t', 'WHERE x -- new', 'AND z'),
    text('SELECT a', 'FROM t', 'WHERE x -- new', 'AND y', 'AND z'),
  ],
  [
    'lines far above',
    text('-- top', 'SELECT a', 'FROM t', 'WHERE x', 'AND z'),
    text('-- top', 'SELECT a', 'FROM t', 'WHERE x', 'AND y', 'AND z'),
  ],
])('a change is taken back where %s was written since', (_what, today, expected) => {
  expect(revertChange(before, after, today)).toBe(expected)
})

it('a change is not taken back where its own lines, or those on both sides, were changed since', () => {
  expect(revertChange(after, before, after.replace('AND z', 'AND w'))).toBeUndefined()
  expect(revertChange(before, after, text('SELECT a', 'FROM t', 'WHERE w'))).toBeUndefined()
  expect(revertChange('', after, after)).toBeUndefined()
})

it('a change in the first and last line is taken back whether or not the text ends with an end of line', () => {
  expect(revertChange('a\nb\nc', 'b', 'b')).toBe('a\nb\nc')
  expect(revertChange('a\nb\n', 'b\nd\n', 'b\nd\n')).toBe('a\nb\n')
})

it('an earlier text keeps the comments of today', () => {
  const today = text('-- new', 'SELECT b', '-- why', 'FROM t')
  expect(keepCurrentComments(text('-- old', 'SELECT a', 'FROM t'), today)).toBe(
    text('-- new', '-- why', 'SELECT a', 'FROM t'),
  )
  expect(keepCurrentComments(text('-- of y', 'AND y'), text('AND z'))).toBe(text('-- of y', 'AND y'))
})

it('an earlier text gets the ends of lines that are there today', () => {
  expect(withLineEndsOf('a\nb\n', 'x\r\ny\r\n')).toBe('a\r\nb\r\n')
  expect(withLineEndsOf('a\r\nb\r\n', 'x\ny\n')).toBe('a\nb\n')
  expect(withLineEndsOf('a\nb\n', 'x\r\ny\n')).toBe('a\nb\n')
})

it('an earlier text stays as it was where there is none today', () => {
  expect(withLineEndsOf('a\r\nb\r\n', '')).toBe('a\r\nb\r\n')
  expect(keepCurrentComments('a\nb\n', '')).toBe('a\nb\n')
})
