import { describe, expect, it } from 'vitest'
import { movedFunctions } from '../../src/functions/moved-functions.js'
import { runTitle } from '../../src/functions/run-title.js'
import { lineAfter } from '../../src/generate/moved-lines.js'
import { isSameText } from '../../src/same-text.js'
import type { ParsedFunction } from '../../src/server/protocol.js'

const described = (name: string, line: number): ParsedFunction => ({
  ...{ name, qualname: name, signature: `def ${name}()`, docstring: null, body: 'pass', decorators: [] },
  ...{ is_async: false, is_method: false, class_name: null, line_number: line, end_line_number: line + 1 },
})

describe('functions of a text that cannot be parsed', () => {
  it('are where their names are, and those that are gone are left out', () => {
    const text = ['import os', '', 'def first():', '    return (', '', 'async def second():', '    pass']
    const found = movedFunctions([described('first', 1), described('gone', 3), described('second', 4)], text)
    expect(found.map(({ name, line_number }) => [name, line_number])).toEqual([
      ['first', 3],
      ['second', 6],
    ])
  })

  it('of the same name stay apart, each at the nearest', () => {
    const text = [
      'class A:',
      '    def run(self):',
      '        pass',
      'class B:',
      '    def run(self):',
      '        (',
    ]
    const found = movedFunctions([described('run', 2), described('run', 4)], text)
    expect(found.map(({ line_number }) => line_number)).toEqual([2, 5])
  })
})

describe('a line after a change', () => {
  it.each([
    ['before it', 3, { start: 5, end: 5, addedLines: 2 }, 3],
    ['after added lines', 7, { start: 5, end: 5, addedLines: 2 }, 9],
    ['after removed lines', 9, { start: 2, end: 4, addedLines: 0 }, 7],
    ['within it', 5, { start: 5, end: 6, addedLines: 0 }, undefined],
  ])('%s', (_what, line, change, expected) => {
    expect(lineAfter(line, change)).toBe(expected)
  })
})

describe('a text as the editor has it', () => {
  it.each([
    ['the same', 'a\nb\n', 'a\nb\n', true],
    ['other line endings', 'a\r\nb\r\n', 'a\nb\n', true],
    ['a byte order mark', '\uFEFFa\n', 'a\n', true],
    ['another line', 'a\nb\n', 'a\n', false],
    ['another end', 'a\n', 'a', false],
  ])('%s', (_what, one, other, expected) => {
    expect(isSameText(one, other)).toBe(expected)
  })
})

describe('the title of the lens', () => {
  it.each([
    [undefined, 'Run tests'],
    [{ testNames: ['a'] }, 'Run 1 test'],
    [{ testNames: ['a', 'b'], lastRun: { status: 'passed' as const, runAt: '' } }, 'Run 2 tests ✓'],
    [{ testNames: ['a', 'b'], lastRun: { status: 'failed' as const, runAt: '' } }, 'Run 2 tests ✗'],
  ])('%j', (tests, expected) => {
    expect(runTitle(tests)).toBe(expected)
  })
})
