import { describe, expect, it } from 'vitest'
import type { YamlValue } from '../../src/edit/edit-types.js'
import { block, type Change, edit, metric } from './edited-metric.js'

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
