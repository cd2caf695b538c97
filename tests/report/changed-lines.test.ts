import { createTwoFilesPatch } from 'diff'
import { expect, it } from 'vitest'
import { changedLines } from '../../src/report/changed-lines.js'

it('takes a removed SQL comment for a line and not for a file name', () => {
  const diff = createTwoFilesPatch(
    'a.sql',
    'a.sql',
    'SELECT 1\n-- old\nFROM t\n',
    'SELECT 1\n-- new\nFROM t\n',
  )
  expect(changedLines(diff)).toEqual([{ line: 2, removed: ['-- old'], added: ['-- new'] }])
})

it('keeps changes apart that have unchanged lines between them', () => {
  const diff = createTwoFilesPatch('a', 'a', 'a\nb\nc\n', 'A\nb\nc\nd\n')
  expect(changedLines(diff)).toEqual([
    { line: 1, removed: ['a'], added: ['A'] },
    { line: 4, removed: [], added: ['d'] },
  ])
})

it('is not disturbed by a missing final newline', () => {
  expect(changedLines(createTwoFilesPatch('a', 'a', 'x', 'y'))).toEqual([
    { line: 1, removed: ['x'], added: ['y'] },
  ])
})
