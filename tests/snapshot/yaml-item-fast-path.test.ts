import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlainItem } from '../../src/snapshot/yaml-item-fast-path.js'
import { composeYaml, itemOffsets, toPlainData } from '../../src/snapshot/yaml-tree.js'

/** The item as the library reads it: data and places, or why it refuses. */
function asTheLibraryReads(item: string): unknown {
  try {
    const document = composeYaml(item)
    const { data, anchored } = toPlainData(document)
    if (anchored || !Array.isArray(data)) return { other: data }
    return { data: data[0], ...itemOffsets(document.contents), items: data.length }
  } catch (error) {
    return String(error)
  }
}

function expectSame(item: string): void {
  const plain = readPlainItem(item)
  if (plain !== undefined) expect({ ...plain, items: 1 }, item).toEqual(asTheLibraryReads(item))
}

const usual = `  - id: dau_id_monthly
    question: "ID market DAU in November 2025"
    expected_sql: |
      SELECT day, sum(amount) AS total -- a remark: kept
      FROM orders

        WHERE status != 'cancelled' # not a comment
      LIMIT 20

    tags: [traffic, dau-2]
    note: it's https://a.b/c#d, really

`

describe('an item as nearly all are written', () => {
  it('is read with its places', () => {
    expect(readPlainItem(usual)).toEqual({
      data: {
        id: 'dau_id_monthly',
        question: 'ID market DAU in November 2025',
        expected_sql:
          "SELECT day, sum(amount) AS total -- a remark: kept\nFROM orders\n\n  WHERE status != 'cancelled' # not a comment\nLIMIT 20\n",
        tags: ['traffic', 'dau-2'],
        note: "it's https://a.b/c#d, really",
      },
      item: 4,
      keys: ['id', 'question', 'expected_sql', 'tags', 'note'],
      offsets: ['id', 'question', 'expected_sql', 'tags', 'note'].map((key) => usual.indexOf(`${key}:`)),
    })
    expectSame(usual)
  })

  it.each([
    ['a number', '  - id: 7\n'],
    ['a word that is no text', '  - id: true\n'],
    ['nothing', '  - id:\n'],
    ['a comment', '  - id: a # b\n'],
    ['a comment of its own', '  - id: a\n    # b\n    c: d\n'],
    ['a text that goes on', '  - id: a\n      b\n'],
    ['a map', '  - id: a\n    compare:\n      order: ordered\n'],
    ['a map in one line', '  - { id: a }\n'],
    ['an anchor', '  - id: &a b\n'],
    ['a tag', '  - id: !!str b\n'],
    ['an escape', '  - id: "\\x61"\n'],
    ['two quotes', "  - id: 'it''s'\n"],
    ['a key that is there twice', '  - id: a\n    id: b\n'],
    ['a key that a check would drop', '  - __proto__: a\n'],
    ['a folded block', '  - id: >\n      a\n'],
    ['a block that keeps its end', '  - id: |+\n      a\n\n'],
    ['a block with blanks in an empty line', '  - id: |\n      a\n        \n      b\n'],
    ['a block that is empty', '  - id: |\n    b: c\n'],
    ['a block with a line that stands out', '  - id: |\n        a\n      b\n'],
    ['a tab', '  - id:\ta\n'],
    ['CR LF', '  - id: a\r\n'],
    ['no end of its line', '  - id: a'],
    ['a list of numbers', '  - tags: [1, 2]\n'],
    ['a list of words that are no texts', '  - tags: [null]\n'],
    ['a value with a colon', '  - id: a: b\n'],
    ['a word alone', '  - id\n'],
    ['a list in a list', '  - - id: a\n'],
  ])('%s is left to the library', (_what, item) => {
    expect(readPlainItem(item)).toBeUndefined()
  })

  it('is read as the library reads it, whatever is written', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'B7',
        'null',
        'True',
        'yes',
        'é',
        '7',
        '1e3',
        '0x1f',
        '.inf',
        '-',
        '- ',
        '-- x',
        ' ',
        '  ',
        '    ',
      ],
      ...[
        ':',
        ': ',
        '#',
        ' #',
        ' # x',
        ',',
        ', ',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'",
        '\\',
        '|',
        '|-',
        '>',
        '&a',
        '*a',
        '!x',
      ],
      ...[
        '?',
        '? ',
        '%',
        '@',
        '`',
        '~',
        '<<',
        '\t',
        '\r',
        '\n',
        '\u00a0',
        '\u2028',
        '\ufeff',
        '😀',
        '---',
        '...',
        '=',
      ],
      ...[
        '\n    ',
        '\n      ',
        '\n        ',
        '\n  - ',
        '\n    c: ',
        '\n\n',
        '[a, b]',
        "'q'",
        '"q"',
        '|\n      t\n',
      ],
    )
    const value = fc.constantFrom(
      ...[
        'word',
        'two words, and more',
        'a:b #c',
        "it's",
        '"in, quotes: #"',
        "'in quotes'",
        '[a, b-2]',
        '[ ID ]',
      ],
      ...[
        '|\n      one\n      two',
        '|\n        one\n\n          two\n',
        'x|',
        'é \u00a0y',
        'True story',
        'a - b',
      ],
    )
    const line = fc
      .tuple(fc.constantFrom('id', 'question', 'b_2', '_c'), value)
      .map((parts) => parts.join(': '))
    const start = fc.constantFrom('  - ', '- ', '   -  ')
    const item = fc
      .tuple(start, fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\n\n'))
      .map(([dash, lines, end]) => `${dash}${lines.join(`\n${' '.repeat(dash.length)}`)}${end}`)
    // Somewhere something stands that should not, or something is gone.
    const change = fc.tuple(fc.nat(), fc.nat({ max: 3 }), piece)
    fc.assert(
      fc.property(item, fc.array(change, { maxLength: 2 }), (whole, changes) => {
        let text = whole
        for (const [at, gone, put] of changes) {
          const from = at % text.length
          text = `${text.slice(0, from)}${put}${text.slice(from + gone)}`
        }
        expectSame(text)
      }),
      { numRuns: 4000 },
    )
  })
})
