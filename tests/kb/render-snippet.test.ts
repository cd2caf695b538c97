import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Metric, Snippet } from '../../src/kb/entry.js'
import type { Binding } from '../../src/kb/question-interpretation.js'
import { quotedRegions } from '../../src/kb/quoted-regions.js'
import { bindingLiterals, findPlaceholders, renderSnippet } from '../../src/kb/render-snippet.js'

const metric: Metric = {
  id: 'metric:m',
  name: 'm',
  title: 'm',
  aliases: [],
  snippet: 'm.sql',
  path: 'kb/metrics/m.yaml',
  parameters: new Map([
    ['market', { type: 'enum', values: new Map([['ID', []]]) }],
    ['period', { type: 'date_range' }],
    ['n', { type: 'number', words: ['top'], integer: true }],
    ['by', { type: 'choice', values: new Map([['device', { sql: 'device_type', aliases: [] }]]) }],
  ]),
}
const bindings: readonly Binding[] = [
  { parameter: 'market', value: { kind: 'enum', code: 'ID' } },
  {
    parameter: 'period',
    value: { kind: 'date_range', start: '2024-02-01', end: '2024-02-29', grain: 'month' },
  },
  { parameter: 'n', value: { kind: 'number', value: 5 } },
  { parameter: 'by', value: { kind: 'choice', name: 'device', sql: 'device_type' } },
]

function snippet(text: string): Snippet {
  return { id: 'snippet:m.sql', name: 'm.sql', text, path: 'kb/snippets/m.sql' }
}

describe('placeholders', () => {
  it('are found with name, property and offsets', () => {
    expect(findPlaceholders('a {{ market }} {{period.start}}{{  n  }}')).toEqual([
      { name: 'market', property: undefined, start: 2, end: 14 },
      { name: 'period', property: 'start', start: 15, end: 31 },
      { name: 'n', property: undefined, start: 31, end: 40 },
    ])
  })

  it('are not what only looks alike', () => {
    expect(findPlaceholders('{ market } {{ }} {{ a b }} {{ 1 }} {{ a.b.c }} }} {{')).toEqual([])
  })
})

describe('rendering', () => {
  it('fills every kind of placeholder with a literal of the dialect', () => {
    const text = `SELECT {{ by }} FROM t WHERE m = {{ market }} AND d >= {{ period.start }} AND d <= {{ period.end }}
  AND d < {{ period.end_exclusive }} AND x / {{ period.days }} > 1 LIMIT {{ n }}`
    expect(renderSnippet(snippet(text), metric, bindings, 'duckdb')).toEqual({
      kind: 'sql',
      sql: `SELECT device_type FROM t WHERE m = 'ID' AND d >= DATE '2024-02-01' AND d <= DATE '2024-02-29'
  AND d < DATE '2024-03-01' AND x / 29 > 1 LIMIT 5`,
    })
    expect(renderSnippet(snippet('d = {{ period.start }}'), metric, bindings, 'sqlite')).toEqual({
      kind: 'sql',
      sql: "d = '2024-02-01'",
    })
  })

  it('keeps the rest of the text byte for byte, but for a byte order mark', () => {
    expect(renderSnippet(snippet('\uFEFF-- ü\r\nSELECT  1;\n'), metric, [], 'duckdb')).toEqual({
      kind: 'sql',
      sql: '-- ü\r\nSELECT  1;\n',
    })
  })

  it('does not read values for placeholders', () => {
    const hostile: Binding = { parameter: 'market', value: { kind: 'enum', code: '{{ n }}' } }
    expect(renderSnippet(snippet('{{ market }}'), metric, [hostile, ...bindings.slice(1)], 'duckdb')).toEqual(
      {
        kind: 'sql',
        sql: "'{{ n }}'",
      },
    )
  })

  it.each([
    ['no value', '{{ other }}', []],
    ['no value', '{{ period }}', []],
    ['not a number', '{{ n }}', [{ parameter: 'n', value: { kind: 'number', value: Number.NaN } }]],
    ['NUL', '{{ market }}', [{ parameter: 'market', value: { kind: 'enum', code: 'a\0b' } }]],
    [
      'not a period',
      '{{ period.start }}',
      [
        {
          parameter: 'period',
          value: { kind: 'date_range', start: "1' OR 1", end: '2025-01-01', grain: 'day' },
        },
      ],
    ],
    [
      'no such expression',
      '{{ by }}',
      [{ parameter: 'by', value: { kind: 'choice', name: 'device', sql: '1; DROP' } }],
    ],
    [
      'no such expression',
      '{{ market }}',
      [{ parameter: 'market', value: { kind: 'choice', name: 'x', sql: 'y' } }],
    ],
  ] satisfies [string, string, Binding[]][])('is a problem: %s in %s', (message, text, changed) => {
    const all = [
      ...bindings.filter(({ parameter }) => !changed.some((each) => each.parameter === parameter)),
      ...changed,
    ]
    expect(renderSnippet(snippet(text), metric, all, 'duckdb')).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ['mysql', String.raw`SELECT 'a\' {{ market }}'`, 'string literal'],
    ['mysql', 'SELECT 1 # {{ market }}', 'comment'],
    ['duckdb', '/* /* */ {{ market }} */ SELECT 1', 'comment'],
  ] as const)('in %s, a value has no place inside what the dialect quotes: %s', (dialect, text, kind) => {
    expect(renderSnippet(snippet(text), metric, bindings, dialect)).toEqual({
      kind: 'problem',
      message: `{{ market }} is inside a ${kind} of ${dialect}`,
    })
    expect(renderSnippet(snippet(text), metric, bindings, 'sqlite').kind).toBe('sql')
  })

  it('never lets a value out of its literal', () => {
    const nasty = fc.array(
      fc.constantFrom("'", '"', '\\', ';', '--', '/*', '*/', '$$', '{{', '}}', '\n', 'a', ' OR 1=1'),
      {
        maxLength: 12,
      },
    )
    const code = fc
      .oneof(
        nasty.map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
      )
      .filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(code, (text) => {
        const value: Binding = { parameter: 'market', value: { kind: 'enum', code: text } }
        const rendered = renderSnippet(snippet('SELECT {{ market }} AS m'), metric, [value], 'duckdb')
        if (rendered.kind !== 'sql') throw new Error(rendered.message)
        const literal = rendered.sql.slice('SELECT '.length, -' AS m'.length)
        const regions = quotedRegions(rendered.sql, 'duckdb')
        expect(regions).toHaveLength(1)
        expect(regions[0]?.start).toBe('SELECT '.length)
        expect(regions[0]?.end).toBe('SELECT '.length + literal.length)
        expect(literal.slice(1, -1).replaceAll("''", "'")).toBe(text)
      }),
    )
  })
})

describe('the literals of a binding', () => {
  it('cover every placeholder it can fill', () => {
    expect(bindings.flatMap(bindingLiterals)).toEqual([
      { placeholder: 'market', value: { kind: 'text', text: 'ID' } },
      { placeholder: 'period.start', value: { kind: 'date', text: '2024-02-01' } },
      { placeholder: 'period.end', value: { kind: 'date', text: '2024-02-29' } },
      { placeholder: 'period.end_exclusive', value: { kind: 'date', text: '2024-03-01' } },
      { placeholder: 'period.days', value: { kind: 'number', value: 29 } },
      { placeholder: 'n', value: { kind: 'number', value: 5 } },
      { placeholder: 'by', value: { kind: 'sql', sql: 'device_type' } },
    ])
  })
})
