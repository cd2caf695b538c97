import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { block, type Change, edit, metric } from './edited-metric.js'

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
