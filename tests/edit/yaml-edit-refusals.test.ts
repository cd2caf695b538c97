import { describe, expect, it } from 'vitest'
import { editYaml } from '../../src/edit/yaml-edit.js'
import { type Change, edit, metric } from './edited-metric.js'

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
