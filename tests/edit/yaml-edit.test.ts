import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { YamlEdit, YamlValue } from '../../src/edit/edit.js'
import { editYaml } from '../../src/edit/yaml-edit.js'

type Change = Omit<YamlEdit, 'kind' | 'path' | 'entry'>

function edit(text: string, change: Change): string {
  const bytes = new TextEncoder().encode(text)
  const target = { kind: 'edit_metric', path: 'kb/metrics/dau.yaml', entry: 'metric:dau' } as const
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(editYaml(bytes, { ...target, ...change }))
}

const metric = `# Who came by
metric: dau
title: Daily active users   # as people say it
aliases: [DAU, daily active users] # keep short
snippet: dau.sql

parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
  period: { type: date_range }
`
const block = `metric: dau
aliases:
  - DAU # the usual
  # spelled out
  - daily active users

parameters:
  market:
    type: enum
    values:
      ID: [Indonesia]
      TH:
        - Thailand
`

describe('append', () => {
  it.each<[string, string, Change, string]>([
    [
      'a flow list grows on its line and keeps the comment behind it',
      metric,
      { action: 'append', at: ['aliases'], expected: ['DAU', 'daily active users'], value: 'active users' },
      metric.replace('daily active users]', 'daily active users, active users]'),
    ],
    [
      'a list of a value of a flow map grows in place',
      metric,
      {
        action: 'append',
        at: ['parameters', 'market', 'values', 'TH'],
        expected: ['Thailand'],
        value: 'Thai',
      },
      metric.replace('[Thailand]', '[Thailand, Thai]'),
    ],
    [
      'a block list gets a line at the indentation of its items',
      block,
      { action: 'append', at: ['aliases'], expected: ['DAU', 'daily active users'], value: 'active users' },
      block.replace('- daily active users\n', '- daily active users\n  - active users\n'),
    ],
    [
      'an empty list is filled',
      'aliases: []\n',
      { action: 'append', at: ['aliases'], value: 'DAU' },
      'aliases: [DAU]\n',
    ],
    [
      'an empty key becomes a list',
      'aliases:\nx: 1\n',
      { action: 'append', at: ['aliases'], value: 'DAU' },
      'aliases: [DAU]\nx: 1\n',
    ],
    [
      'a list that is not there is made',
      'metric: dau',
      { action: 'append', at: ['aliases'], value: 'DAU' },
      'metric: dau\naliases: [DAU]',
    ],
    [
      'spaces inside brackets stay',
      'a: [ x , y ]\n',
      { action: 'append', at: ['a'], expected: ['x', 'y'], value: 'z' },
      'a: [ x , y , z ]\n',
    ],
    [
      'a trailing comma stays',
      'a: [x, y, ]\n',
      { action: 'append', at: ['a'], expected: ['x', 'y'], value: 'z' },
      'a: [x, y, z, ]\n',
    ],
    [
      'a flow list over several lines gets a line',
      'a: [\n  x,\n  y # why\n]\n',
      { action: 'append', at: ['a'], expected: ['x', 'y'], value: 'z' },
      'a: [\n  x,\n  y, # why\n  z\n]\n',
    ],
    [
      'a flow list over several lines keeps its trailing comma',
      'a: [\n  x,\n]\n',
      { action: 'append', at: ['a'], expected: ['x'], value: 'z' },
      'a: [\n  x,\n  z,\n]\n',
    ],
    [
      'a block list at the end of a file without a final newline',
      'a:\n- x',
      { action: 'append', at: ['a'], expected: ['x'], value: 'z' },
      'a:\n- x\n- z',
    ],
    [
      'a file with CRLF gets CRLF',
      '\ufeffa:\r\n  - x\r\nb: 1\r\n',
      { action: 'append', at: ['a'], expected: ['x'], value: 'z' },
      '\ufeffa:\r\n  - x\r\n  - z\r\nb: 1\r\n',
    ],
    [
      'quotes of the siblings are used',
      `a: ['x', 'y']\n`,
      { action: 'append', at: ['a'], expected: ['x', 'y'], value: `it's` },
      `a: ['x', 'y', 'it''s']\n`,
    ],
    [
      'a block list whose last item is a text block',
      'a:\n  - |\n    x\n\nb: 1\n',
      { action: 'append', at: ['a'], expected: ['x\n'], value: 'z' },
      'a:\n  - |\n    x\n  - z\n\nb: 1\n',
    ],
    [
      'a block list of maps',
      'a:\n  - x: 1\n    y: 2 # two\n# end\n',
      { action: 'append', at: ['a'], expected: [{ x: 1, y: 2 }], value: { x: 3 } },
      'a:\n  - x: 1\n    y: 2 # two\n  - { x: 3 }\n# end\n',
    ],
  ])('%s', (_name, before, change, after) => {
    expect(edit(before, change)).toBe(after)
  })

  it('a long flow list stays on one line', () => {
    const words = Array.from({ length: 60 }, (_, index) => `alias number ${index}`)
    const text = `aliases: [${words.join(', ')}]\n`
    const result = edit(text, { action: 'append', at: ['aliases'], expected: words, value: 'one more' })
    expect(result).toBe(text.replace(']', ', one more]'))
  })
})

describe('set', () => {
  it.each<[string, string, Change, string]>([
    [
      'a new key in a flow map',
      metric,
      { action: 'set', at: ['parameters', 'market', 'values', 'SG'], value: ['Singapore'] },
      metric.replace('[Thailand] }', '[Thailand], SG: [Singapore] }'),
    ],
    [
      'a new key in a block map, with the indentation of its siblings, behind the last one',
      block,
      { action: 'set', at: ['parameters', 'market', 'values', 'SG'], value: ['Singapore'] },
      `${block}      SG: [Singapore]\n`,
    ],
    [
      'a key that YAML 1.1 takes for a boolean is quoted',
      metric,
      { action: 'set', at: ['parameters', 'market', 'values', 'NO'], value: ['Norway'] },
      metric.replace('[Thailand] }', '[Thailand], "NO": [Norway] }'),
    ],
    [
      'a new parameter on one line',
      metric,
      { action: 'set', at: ['parameters', 'top'], value: { type: 'number', words: ['top'] } },
      `${metric}  top: { type: number, words: [top] }\n`,
    ],
    [
      'unpadded braces stay unpadded',
      'v: {ID: [Indonesia]}\n',
      { action: 'set', at: ['v', 'TH'], value: { a: 'b' } },
      'v: {ID: [Indonesia], TH: {a: b}}\n',
    ],
    ['an empty map is filled', 'v: {}\n', { action: 'set', at: ['v', 'ID'], value: [] }, 'v: { ID: [] }\n'],
    ['an empty key becomes a map', 'v:\n', { action: 'set', at: ['v', 'ID'], value: [] }, 'v: { ID: [] }\n'],
    [
      'an empty value in a flow map is filled',
      'v: { ID: }\n',
      { action: 'set', at: ['v', 'ID'], value: ['x'] },
      'v: { ID: [x] }\n',
    ],
    [
      'a key alone in a flow map gets its value',
      'v: { ID, TH }\n',
      { action: 'set', at: ['v', 'ID'], value: ['x'] },
      'v: { ID: [x], TH }\n',
    ],
    [
      'a scalar keeps its comment',
      metric,
      { action: 'set', at: ['title'], expected: 'Daily active users', value: 'Active users' },
      metric.replace('title: Daily active users ', 'title: Active users '),
    ],
    [
      `single quotes stay`,
      `t: 'a b'\n`,
      { action: 'set', at: ['t'], expected: 'a b', value: `it's` },
      `t: 'it''s'\n`,
    ],
    [
      'double quotes stay',
      't: "a" # x\n',
      { action: 'set', at: ['t'], expected: 'a', value: 'b "c"' },
      't: "b \\"c\\"" # x\n',
    ],
    ['an anchor stays', 't: &x 1\n', { action: 'set', at: ['t'], expected: 1, value: 2 }, 't: &x 2\n'],
    [
      'a text block stays one',
      't: | # text\n  a\n\n  b\nu: 1\n',
      { action: 'set', at: ['t'], expected: 'a\n\nb\n', value: 'a\n\nc\n' },
      't: | # text\n  a\n\n  c\nu: 1\n',
    ],
    [
      'a text block loses its last line end when the text has none',
      't: |\r\n  a\r\nu: 1\r\n',
      { action: 'set', at: ['t'], expected: 'a\n', value: 'b' },
      't: |-\r\n  b\r\nu: 1\r\n',
    ],
    [
      'a block list stays a block list',
      block,
      { action: 'set', at: ['aliases'], expected: ['DAU', 'daily active users'], value: ['u', 'v', 'w'] },
      block.replace(/ {2}- DAU[\s\S]*daily active users\n/, '  - u\n  - v\n  - w\n'),
    ],
    [
      'a block list becomes empty and the comment behind its key stays',
      'a: # why\n  - x\nb: 1\n',
      { action: 'set', at: ['a'], expected: ['x'], value: [] },
      'a: [] # why\nb: 1\n',
    ],
    [
      'an item of a list',
      'a: [x, y]\n',
      { action: 'set', at: ['a', 1], expected: 'y', value: 'z' },
      'a: [x, z]\n',
    ],
    [
      'a list in place of a list',
      'a: [ x, y ]\n',
      { action: 'set', at: ['a'], expected: ['x', 'y'], value: ['z'] },
      'a: [z]\n',
    ],
    [
      'a key that is written as a number is found by its text',
      'v: { 007: [x], 1.10: [y] }\n',
      { action: 'set', at: ['v', '1.10'], expected: ['y'], value: ['z'] },
      'v: { 007: [x], 1.10: [z] }\n',
    ],
  ])('%s', (_name, before, change, after) => {
    expect(edit(before, change)).toBe(after)
  })

  it.each([
    'NO',
    'on',
    'y',
    '1e3',
    '2025-11-01',
    '12:30:00',
    '007',
    '0x1F',
    '~',
    'null',
    '',
    'ID: x',
    'a #b',
    '- a',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '`a',
    '[a',
    'a, b',
    '{a',
    '?',
    '=',
    '<<',
    ' a',
    'a\nb',
    '\u0085',
    '"x"',
  ])('the text %j is quoted so that readers of both YAML versions see text', (value) => {
    const result = edit('metric: dau\naliases: [x]\n', {
      action: 'append',
      at: ['aliases'],
      expected: ['x'],
      value,
    })
    for (const version of ['1.1', '1.2'] as const) {
      expect(parse(result, { version })).toEqual({ metric: 'dau', aliases: ['x', value] })
    }
    expect(result).toMatch(/, (["']).*\1\]/)
  })

  it.each(['DAU', 'cost per click (CPC)', 'R&D', '50% off', 'métriques', 'x-y_z', 'v2.0', '日次'])(
    'the text %j needs no quotes',
    (value) => {
      expect(edit('a: [x]\n', { action: 'append', at: ['a'], expected: ['x'], value })).toBe(
        `a: [x, ${value}]\n`,
      )
    },
  )
})

describe('rename', () => {
  const quoted = 'v:\n  "ID": ["Indonesia"] # first\n  \'TH\': [x]\n  SG:\n    - y # last\n'
  const rename = (key: string, value: string, expected: YamlValue): Change => ({
    action: 'rename',
    at: ['v', key],
    expected,
    value,
  })

  it.each<[string, string, Change, string]>([
    [
      'a quoted key keeps its quotes, its place and the comment',
      quoted,
      rename('ID', 'IDN', ['Indonesia']),
      quoted.replace('"ID"', '"IDN"'),
    ],
    ['a key in single quotes', quoted, rename('TH', 'THA', ['x']), quoted.replace("'TH'", "'THA'")],
    ['a plain key of a block list', quoted, rename('SG', 'SGP', ['y']), quoted.replace('SG:', 'SGP:')],
    ['a key of a flow map', 'v: { ID: [x], TH }\n', rename('ID', 'A', ['x']), 'v: { A: [x], TH }\n'],
    ['a key alone in a flow map', 'v: { ID: [x], TH }\n', rename('TH', 'A', null), 'v: { ID: [x], A }\n'],
    [
      'a name that YAML takes for no text is quoted',
      'v: { ID: [x] }\n',
      rename('ID', 'NO', ['x']),
      'v: { "NO": [x] }\n',
    ],
  ])('%s', (_name, before, change, after) => {
    expect(edit(before, change)).toBe(after)
  })

  it.each<[string, Change, RegExp]>([
    ['a name that is taken', rename('ID', 'TH', ['Indonesia']), /TH already exists/],
    ['a key that is not there', rename('MY', 'X', []), /there is nothing to rename|was expected/],
    ['other words behind the key', rename('ID', 'X', ['India']), /was expected, but there is/],
    [
      'the place of a list',
      { action: 'rename', at: ['v', 'ID', 0], expected: 'Indonesia', value: 'x' },
      /cannot be applied/,
    ],
  ])('%s is a conflict', (_name, change, message) => {
    expect(() => edit(quoted, change)).toThrow(message)
  })
})

describe('remove', () => {
  it.each<[string, string, Change, string]>([
    [
      'the first item of a flow list',
      'a: [x, y, z]\n',
      { action: 'remove', at: ['a', 0], expected: 'x' },
      'a: [y, z]\n',
    ],
    [
      'the last item of a flow list',
      'a: [x, y]\n',
      { action: 'remove', at: ['a', 1], expected: 'y' },
      'a: [x]\n',
    ],
    [
      'the only item of a flow list',
      'a: [x] # c\n',
      { action: 'remove', at: ['a', 0], expected: 'x' },
      'a: [] # c\n',
    ],
    [
      'the only item of a block list',
      'a:\n  - x\nb: 1\n',
      { action: 'remove', at: ['a', 0], expected: 'x' },
      'a: []\nb: 1\n',
    ],
    [
      'an item of a block list with its own comment; others stay',
      block,
      { action: 'remove', at: ['aliases', 0], expected: 'DAU' },
      block.replace('  - DAU # the usual\n', ''),
    ],
    [
      'an entry of a block map with all its lines',
      block,
      { action: 'remove', at: ['parameters', 'market', 'values', 'TH'], expected: ['Thailand'] },
      block.replace('      TH:\n        - Thailand\n', ''),
    ],
    [
      'an entry of a flow map',
      metric,
      { action: 'remove', at: ['parameters', 'market', 'values', 'ID'], expected: ['Indonesia'] },
      metric.replace('ID: [Indonesia], ', ''),
    ],
    [
      'the first entry of a map on the line of its list item',
      'a:\n  - x: 1\n    y: 2\n',
      { action: 'remove', at: ['a', 0, 'x'], expected: 1 },
      'a:\n  - y: 2\n',
    ],
    [
      'the last line of a file without a final newline',
      'a: 1\r\nb: 2',
      { action: 'remove', at: ['b'], expected: 2 },
      'a: 1',
    ],
  ])('%s', (_name, before, change, after) => {
    expect(edit(before, change)).toBe(after)
  })
})

describe('refusals name what was expected', () => {
  it.each<[string, string, Change, RegExp]>([
    [
      'another old value',
      metric,
      { action: 'set', at: ['title'], expected: 'DAU', value: 'x' },
      /"DAU\\"" was expected, but there is "\\"Daily/,
    ],
    [
      'another old list',
      metric,
      { action: 'append', at: ['aliases'], expected: ['DAU'], value: 'x' },
      /was expected/,
    ],
    [
      'something where nothing was expected',
      metric,
      { action: 'set', at: ['title'], value: 'x' },
      /nothing was expected/,
    ],
    [
      'nothing where something was expected',
      metric,
      { action: 'set', at: ['owner'], expected: 'x', value: 'y' },
      /there is nothing/,
    ],
    [
      'the same value',
      metric,
      { action: 'set', at: ['title'], expected: 'Daily active users', value: 'Daily active users' },
      /changes nothing/,
    ],
    [
      'a path through a scalar',
      metric,
      { action: 'set', at: ['title', 'x'], value: 'y' },
      /title was expected to be a list or a map/,
    ],
    ['a path through nothing', metric, { action: 'set', at: ['a', 'b'], value: 'y' }, /the top has no a/],
    [
      'a path through an alias',
      'a: &x { b: 1 }\nc: *x\n',
      { action: 'set', at: ['c', 'b'], expected: 1, value: 2 },
      /c is an alias/,
    ],
    [
      'a value that an alias repeats',
      'a: &x 1\nb: *x\n',
      { action: 'set', at: ['a'], expected: 1, value: 2 },
      /without changing other parts/,
    ],
    [
      'a list appended to a text',
      metric,
      { action: 'append', at: ['title'], expected: 'Daily active users', value: 'x' },
      /a list was expected/,
    ],
    ['removing what is not there', metric, { action: 'remove', at: ['owner'] }, /nothing to remove/],
    [
      'the only entry of a file',
      'a: 1\n',
      { action: 'remove', at: ['a'], expected: 1 },
      /would become empty/,
    ],
    [
      'a place beyond the end of a list',
      'a: [x]\n',
      { action: 'set', at: ['a', 4], value: 'y' },
      /no place 4/,
    ],
    [
      'two documents',
      'a: 1\n---\nb: 2\n',
      { action: 'set', at: ['a'], expected: 1, value: 2 },
      /readable YAML/,
    ],
    ['a file that is not YAML', 'a: [1\n', { action: 'set', at: ['a'], value: 2 }, /readable YAML/],
    [
      'another metric in the file',
      'metric: gmv\nt: 1\n',
      { action: 'set', at: ['t'], expected: 1, value: 2 },
      /metric:dau was expected/,
    ],
  ])('%s', (_name, text, change, message) => {
    expect(() => edit(text, change)).toThrowError(
      expect.objectContaining({ code: 'edit_conflict', message: expect.stringMatching(message) }),
    )
    expect(() => edit(text, change)).toThrowError(/kb\/metrics\/dau\.yaml/)
  })

  it('a file that is not UTF-8', () => {
    const bytes = Buffer.from('title: caf\xe9\n', 'latin1')
    const change = {
      kind: 'edit_metric',
      path: 'x.yaml',
      entry: 'e',
      action: 'set',
      at: ['a'],
      value: 1,
    } as const
    expect(() => editYaml(bytes, change)).toThrowError(/not UTF-8/)
  })
})

describe('properties', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('NO', '1e3', 'a: b', '#', "it's", '{{ x }}', 'x\ny', '2025-01-01'),
  )
  const lists = fc.array(word, { maxLength: 5 })
  const ends = fc.constantFrom('\n', '\r\n')
  const layouts = fc.constantFrom('flow', 'block', 'lines')

  function written(list: readonly string[], layout: string): string {
    const items = list.map((item) => JSON.stringify(item).replaceAll('\u0085', '\\u0085'))
    if (layout === 'block' && items.length > 0) return `\n  - ${items.join(' # c\n  # d\n  - ')}`
    if (layout === 'lines' && items.length > 0) return ` [\n    ${items.join(', # c\n    ')}\n  ]`
    return ` [${items.join(', ')}]`
  }

  it('append then remove gives the bytes back, and all that lies between is one list item more', () => {
    fc.assert(
      fc.property(
        lists,
        word,
        layouts,
        ends,
        fc.boolean(),
        fc.boolean(),
        (list, item, layout, end, mark, final) => {
          const text = `a: 1 # first\nlist:${written(list, layout)}\n# after\nb: { c: d }${final ? '\n' : ''}`
          const before = (mark ? '\ufeff' : '') + text.replaceAll('\n', end)
          const appended = edit(before, { action: 'append', at: ['list'], expected: list, value: item })
          expect(parse(appended.replace(/^\ufeff/, ''))).toEqual({
            a: 1,
            list: [...list, item],
            b: { c: 'd' },
          })
          const removed = edit(appended, { action: 'remove', at: ['list', list.length], expected: item })
          // A comma that the last line got before its comment stays behind; it says nothing.
          expect(removed.replace(/,( # c)?(\r?\n {2}\])/, '$1$2')).toBe(
            before.replace(/,( # c)?(\r?\n {2}\])/, '$1$2'),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('any value set under any key reads back as that value', () => {
    const { value } = fc.letrec<{ value: YamlValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        word,
        fc.integer(),
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(word, tie('value'), { maxKeys: 3 }),
      ),
    }))
    const keys = word.filter((key) => key !== 'a' && key !== '__proto__')
    fc.assert(
      fc.property(keys, value, fc.constantFrom('m:\n  a: 1\n', 'm: { a: 1 }\n'), (key, item, text) => {
        const result = edit(text, { action: 'set', at: ['m', key], value: item })
        expect(parse(result)).toEqual({ m: { a: 1, [key]: item } })
      }),
      {
        numRuns: 300,
        examples: [
          ['(,*!', 'NO', 'm:\n  a: 1\n'],
          ['k', '(,*!', 'm: { a: 1 }\n'],
        ],
      },
    )
  })
})
