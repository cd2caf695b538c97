import { createTwoFilesPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { aroundChange, changedLines } from '../../src/report/changed-lines.js'

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

describe('two long lines that replace each other', () => {
  const filler = (length: number): string => 'abcdefghij'.repeat(30).slice(0, length)

  it.each([0, 10, 60, 75, 100, 200, 290])('show what differs between them, %s characters in', (at) => {
    for (const [old, now] of [
      ['X', 'Y'],
      ['XXXX', ''],
      ['', "AND status = 'paid' "],
      [`X${filler(100)}Z`, `Y${filler(90)}Q`],
    ] as const) {
      const lines = aroundChange(`${filler(at)}${old}${filler(150)}`, `${filler(at)}${now}${filler(150)}`, 76)
      const seen = lines.map((line) => line.slice(0, 76))
      const context = `${old} → ${now} at ${at}`
      for (const [text, line] of [
        [old, seen[0]],
        [now, seen[1]],
      ] as const) {
        expect(line, context).toContain(text.slice(0, 12))
        expect(line, context).toContain(text.slice(-3))
      }
      expect(seen[0], context).not.toBe(seen[1])
    }
  })

  it('are left whole where they fit', () => {
    expect(aroundChange('a b', 'a c', 20)).toEqual(['a b', 'a c'])
  })
})
