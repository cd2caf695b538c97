import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdits, changesBetween, invertChanges } from '../../src/edit/apply-edits.js'
import type { Edit } from '../../src/edit/edit-types.js'
import { createSnapshot, withFiles } from '../../src/snapshot/snapshot.js'

const path = 'kb/snippets/dau.sql'

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function snapshotOf(bytes: Uint8Array) {
  return createSnapshot(new Map([[path, bytes]]))
}

function replaced(before: string | Uint8Array, search: string, replace: string): Buffer {
  const bytes = typeof before === 'string' ? bytesOf(before) : before
  const after = applyEdits(snapshotOf(bytes), [{ kind: 'edit_snippet', path, search, replace }])
  return Buffer.from(after.files.get(path) ?? [])
}

describe('text edits', () => {
  it('replace the one occurrence and nothing else', () => {
    expect(replaced('SELECT a\nFROM t\n', 'FROM t', 'FROM u').toString()).toBe('SELECT a\nFROM u\n')
  })

  it('keep byte order mark, CRLF and a missing final newline', () => {
    const result = replaced(
      '\ufeffSELECT a\r\nFROM t\r\nWHERE x',
      'FROM t\nWHERE x',
      'FROM t\nWHERE x\n  AND y',
    )
    expect(result).toEqual(Buffer.from('\ufeffSELECT a\r\nFROM t\r\nWHERE x\r\n  AND y'))
  })

  it('write LF into a file with LF though the edit has CRLF', () => {
    expect(replaced('a\nb\n', 'a\r\nb', 'a\r\nc').toString()).toBe('a\nc\n')
  })

  it('use CRLF for new lines where the replaced text has none and the file has CRLF', () => {
    expect(replaced('a\r\nb\r\n', 'b', 'b\nc').toString()).toBe('a\r\nb\r\nc\r\n')
  })

  it('keep the line ends of each part in a file with both', () => {
    expect(replaced('a\r\nb\r\nc\nd\n', 'c\nd', 'c\ne\nd').toString()).toBe('a\r\nb\r\nc\ne\nd\n')
  })

  it('find and write lines of a file whose lines end in CR alone', () => {
    expect(replaced('a\rb\rc\r', 'a\nb', 'a\nx\nb')).toEqual(Buffer.from('a\rx\rb\rc\r'))
    expect(replaced('a\rb\rc\r', 'b\r', 'b\rx\r')).toEqual(Buffer.from('a\rb\rx\rc\r'))
    expect(replaced('a\rb\r', 'b\r', 'b\r\nx\r\n')).toEqual(Buffer.from('a\rb\rx\r'))
  })

  it('leave a CR within a line of another file where it is', () => {
    expect(replaced('a\rb\nc\n', 'b\nc', 'b\nx\nc')).toEqual(Buffer.from('a\rb\nx\nc\n'))
  })

  it('keep bytes that are not UTF-8', () => {
    const before = Buffer.from('-- caf\xe9\nFROM t\n', 'latin1')
    expect(replaced(before, 'FROM t', 'FROM é')).toEqual(Buffer.from('-- caf\xe9\nFROM \xc3\xa9\n', 'latin1'))
  })

  it('find the line end that a search begins with once where it is CRLF', () => {
    expect(replaced('a\r\nb\r\nc', '\nb', '\nB').toString()).toBe('a\r\nB\r\nc')
  })

  it('tell a few occurrences and no more, and compare no endless lines, whatever a model searches for', () => {
    const long = `${'e '.repeat(400_000)}\n`.repeat(2)
    expect(() => replaced(long, 'e', 'f')).toThrow('occurs more than 5 times (lines 1, 1, 1, 1, 1, …)')
    expect(() => replaced(long, 'q'.repeat(300_000), 'f')).toThrow('does not occur')
    expect(() => replaced(long, '\n'.repeat(100_000), 'f')).toThrow('does not occur')
  })

  it('take the text literally, not as a pattern', () => {
    expect(replaced('a.*(b)$1\n', '.*(b)$1', '$&$1').toString()).toBe('a$&$1\n')
  })

  it('are made in order, each on what the ones before left', () => {
    const after = applyEdits(snapshotOf(bytesOf('a\n')), [
      { kind: 'edit_snippet', path, search: 'a', replace: 'b' },
      { kind: 'edit_snippet', path, search: 'b', replace: 'c' },
    ])
    expect(Buffer.from(after.files.get(path) ?? []).toString()).toBe('c\n')
  })
})

describe('an edit that does not fit', () => {
  const text = 'SELECT a\nFROM orders_v1\nWHERE a = 1\n  AND b = 1\n'
  it.each<[string, Edit, RegExp]>([
    [
      'text that does not occur, with the nearest line',
      edit('FROM orders_v2', 'x'),
      /"FROM orders_v2" .*not occur; nearest is line 2: "FROM orders_v1"/,
    ],
    ['text that occurs twice, with the lines', edit('= 1', '= 2'), /once but occurs 2 times \(lines 3, 4\)/],
    ['text that overlaps itself', edit('AA', 'B'), /2 times/],
    ['empty text', edit('', 'x'), /empty/],
    ['text replaced by itself', edit('a = 1', 'a = 1'), /changes nothing/],
    ['half a character', edit('a = 1', '\ud800'), /half a surrogate pair/],
    [
      'a file that is not there',
      { kind: 'edit_note', path: 'kb/notes/x.md', search: 'a', replace: 'b' },
      /kb\/notes\/x\.md: .*does not exist/,
    ],
    ['a new file that is there', { kind: 'create_snippet', path, text: 'x' }, /new file was expected/],
  ])('is refused: %s', (_name, wrong, message) => {
    const before = snapshotOf(bytesOf(wrong.kind === 'edit_snippet' && wrong.search === 'AA' ? 'AAA' : text))
    const first: Edit = { kind: 'create_snippet', path: 'kb/snippets/first.sql', text: 'x' }
    expect(() => applyEdits(before, [first, wrong])).toThrowError(
      expect.objectContaining({ code: 'edit_conflict', message: expect.stringMatching(message) }),
    )
    expect(before.files.size).toBe(1)
  })

  function edit(search: string, replace: string): Edit {
    return { kind: 'edit_snippet', path, search, replace }
  }
})

describe('changes', () => {
  it('hold the bytes of new and changed files on both sides', () => {
    const before = snapshotOf(bytesOf('a'))
    const after = applyEdits(before, [
      { kind: 'edit_snippet', path, search: 'a', replace: 'b' },
      { kind: 'create_snippet', path: 'kb/snippets/new.sql', text: 'n' },
    ])
    expect(changesBetween(before, after)).toEqual([
      { path, before: bytesOf('a'), after: bytesOf('b') },
      { path: 'kb/snippets/new.sql', before: null, after: bytesOf('n') },
    ])
  })

  it('undone give the snapshot back, whatever the encoding and the line ends', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }).map((text) => bytesOf(text)),
        fc.uint8Array({ maxLength: 6 }),
        fc.constantFrom(bytesOf('\r\n'), bytesOf('\n'), bytesOf('aé')),
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(pieces, pieces, fc.string(), fc.boolean(), (head, tail, replace, mark) => {
        const search = '<<the one place>>'
        fc.pre(replace !== search)
        const bytes = Buffer.concat([
          mark ? bytesOf('\ufeff') : bytesOf(''),
          ...head,
          bytesOf(search),
          ...tail,
        ])
        const before = snapshotOf(bytes)
        const after = applyEdits(before, [{ kind: 'edit_snippet', path, search, replace }])
        const result = Buffer.from(after.files.get(path) ?? [])
        expect(result.subarray(0, bytes.indexOf(search))).toEqual(bytes.subarray(0, bytes.indexOf(search)))
        expect(withFiles(after, invertChanges(before, after))).toEqual(before)
        if (
          !replace.includes('\n') &&
          replace !== '' &&
          result.toString('latin1').split(Buffer.from(replace).toString('latin1')).length === 2
        ) {
          expect(replaced(result, replace, search)).toEqual(bytes)
        }
      }),
      { numRuns: 500 },
    )
  })
})
