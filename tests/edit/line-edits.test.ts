import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TextEdit } from '../../src/edit/edit-types.js'
import { textEdits } from '../../src/edit/line-edits.js'

const path = 'kb/snippets/dau.sql'

function matches(text: string, search: string): number {
  let count = 0
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + 1)) count += 1
  return count
}

function apply(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((result, edit) => {
    expect(matches(result, edit.search)).toBe(1)
    return result.replace(edit.search, () => edit.replace)
  }, text)
}

function searched(before: string, after: string): TextEdit[] {
  return textEdits(path, before, after).flatMap((edit) => ('search' in edit ? [edit] : []))
}

describe('textEdits', () => {
  it('replaces the one line that changed', () => {
    const edits = textEdits(path, 'SELECT a\nFROM t\nWHERE b\n', 'SELECT a\nFROM u\nWHERE b\n')
    expect(edits).toEqual([{ kind: 'edit_snippet', path, search: 'FROM t\n', replace: 'FROM u\n' }])
  })

  it('takes the line above along to insert a line', () => {
    const edits = textEdits(path, 'SELECT a\nFROM t\n', 'SELECT a\nFROM t\nWHERE b\n')
    expect(edits).toEqual([{ kind: 'edit_snippet', path, search: 'FROM t\n', replace: 'FROM t\nWHERE b\n' }])
  })

  it('grows by whole lines until the search text is unique', () => {
    const before = 'WITH a AS (\n  SELECT x\n  FROM t\n), b AS (\n  SELECT y\n  FROM t\n)\n'
    const edits = textEdits(path, before, before.replace('SELECT y\n  FROM t', 'SELECT y\n  FROM u'))
    expect(edits).toEqual([
      { kind: 'edit_snippet', path, search: '  SELECT y\n  FROM t\n', replace: '  SELECT y\n  FROM u\n' },
    ])
  })

  it('gives one edit for each place that changed', () => {
    const before = 'a\nb\nc\nd\ne\n'
    expect(searched(before, 'A\nb\nc\nd\nE\n').map((edit) => edit.search)).toEqual(['a\n', 'e\n'])
  })

  it.each(['', ' \n\n'])(
    'writes a blank text as a new one: there is nothing to search for in it',
    (blank) => {
      expect(textEdits(path, blank, 'SELECT 1\n')).toEqual([
        { kind: 'create_snippet', path, text: 'SELECT 1\n' },
      ])
    },
  )

  it('gives none where nothing changed', () => {
    expect(textEdits(path, 'SELECT 1\n', 'SELECT 1\n')).toEqual([])
  })

  it('keeps carriage returns and a missing final newline', () => {
    const before = 'SELECT a\r\nFROM t'
    const after = 'SELECT a\r\nFROM u'
    expect(apply(before, searched(before, after))).toBe(after)
  })

  it('always gives the new text, with one match for each search, in the file and on the way', () => {
    const line = fc.constantFrom('a', 'b', 'a b', '  a', 'aa', '', "x = '$&'")
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join('\n')}\n`)
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before.trim() !== '')
        const edits = searched(before, after)
        for (const edit of edits) expect(matches(before, edit.search)).toBe(1)
        expect(apply(before, edits)).toBe(after)
      }),
      { numRuns: 500 },
    )
  })
})
