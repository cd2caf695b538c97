import { describe, expect, it } from 'vitest'
import { block, type Change, edit, metric } from './edited-metric.js'

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
