import { describe, expect, it } from 'vitest'
import type { YamlEdit } from '../../src/edit/edit-types.js'
import { editYaml } from '../../src/edit/yaml-edit.js'
import { restorePlacement } from '../../src/edit/yaml-restore-placement.js'

const target = { kind: 'edit_metric', path: 'kb/metrics/m.yaml', entry: 'metric:m' } as const

type Change = Pick<YamlEdit, 'action' | 'at' | 'expected' | 'value'>

/** Today's text with the change made in the place that the former text has for it. */
function made(former: string, today: string, change: Change): string | undefined {
  const bytes = new TextEncoder().encode(today)
  const edit = restorePlacement({ ...target, ...change }, former, bytes)
  return edit && new TextDecoder().decode(editYaml(bytes, edit))
}

const lists = `metric: m
aliases:
  - 'visits' # the usual
  # spelled out
  - "calls by people"

  # of marketing
  - sessions
snippet: m.sql
`
const values = `parameters:
  market:
    values:
      "ID": ["Indonesia"] # largest
      TH:
        - Thailand
        - 'Siam' # of old
      # since 2024
      SG: [Singapore]
  period: { type: date_range }
`
const flow = 'a: [ x, "y", z ]\nv: {ID: [a], TH: [b], SG: [c]}\n'
const long = 'a: [\n  x, # first\n  "y",\n  z\n]\n'

const append = (expected: string[], value: string, at = 'a'): Change => ({
  action: 'append',
  at: [at],
  expected,
  value,
})
const set = (at: YamlEdit['at'], value: YamlEdit['value']): Change => ({ action: 'set', at, value })
const inMarket = (code: string, words: string[]) => set(['parameters', 'market', 'values', code], words)

describe('asFormerly', () => {
  it.each<[string, string, string, Change]>([
    [
      'the first item of a block list',
      lists,
      "  - 'visits' # the usual\n",
      append(['calls by people', 'sessions'], 'visits', 'aliases'),
    ],
    [
      'an item in the middle, whose comment stayed',
      lists,
      '  - "calls by people"\n',
      append(['visits', 'sessions'], 'calls by people', 'aliases'),
    ],
    [
      'an item with its comment',
      lists,
      '  # spelled out\n  - "calls by people"\n',
      append(['visits', 'sessions'], 'calls by people', 'aliases'),
    ],
    [
      'the last item, whose comment stayed',
      lists,
      '  - sessions\n',
      append(['visits', 'calls by people'], 'sessions', 'aliases'),
    ],
    [
      'the last item with its comment and the blank line above',
      lists,
      '\n  # of marketing\n  - sessions\n',
      append(['visits', 'calls by people'], 'sessions', 'aliases'),
    ],
    [
      'the first item of a block list with its comment',
      'a:\n  # one\n  - x\n  # two\n  - y\n',
      '  # one\n  - x\n',
      append(['y'], 'x'),
    ],
    [
      'the first item of a block list, whose comment stayed',
      'a:\n  # one\n  - x\n  # two\n  - y\n',
      '  - x\n',
      append(['y'], 'x'),
    ],
    [
      'the first key of a block map',
      values,
      '      "ID": ["Indonesia"] # largest\n',
      inMarket('ID', ['Indonesia']),
    ],
    [
      'a key in the middle with a list of its own',
      values,
      "      TH:\n        - Thailand\n        - 'Siam' # of old\n",
      inMarket('TH', ['Thailand', 'Siam']),
    ],
    ['the last key, whose comment stayed', values, '      SG: [Singapore]\n', inMarket('SG', ['Singapore'])],
    ['a key of the file', lists, 'snippet: m.sql\n', set(['snippet'], 'm.sql')],
    ['a list of the file', flow, 'a: [ x, "y", z ]\n', set(['a'], ['x', 'y', 'z'])],
    ['the first item of a flow list', 'a: ["x", y]\n', '"x", ', append(['y'], 'x')],
    ['an item of a flow list', flow, ', "y"', append(['x', 'z'], 'y')],
    ['the last item of a flow list', flow, ', z', append(['x', 'y'], 'z')],
    ['the first key of a flow map', flow, 'ID: [a], ', set(['v', 'ID'], ['a'])],
    ['a key of a flow map', flow, ', TH: [b]', set(['v', 'TH'], ['b'])],
    ['an item of a list on lines of its own', long, '\n  "y",', append(['x', 'z'], 'y')],
    ['the only item of a flow list', 'a: [ "x"]\n', '"x"', append([], 'x')],
    ['a map in a list', 'a:\n  - x: 1\n    y: 2\n', 'x: 1\n    ', set(['a', 0, 'x'], 1)],
  ])('undoes the loss of %s', (_name, former, lost, change) => {
    for (const [text, part] of [
      [former, lost],
      [former.replaceAll('\n', '\r\n'), lost.replaceAll('\n', '\r\n')],
    ] as const) {
      const today = text.replace(part, '')
      expect(today).not.toBe(text)
      const back = made(former, today, change)
      if (lost.trim() === '"x"') expect(back).toContain('"x"')
      else expect(back).toBe(text)
    }
  })

  const longFlow = 'a: [\n  x, # X\n  # of Y\n  y, # Y\n  z # Z\n]\n'
  it.each([
    ['a block list', 'a:\n  - x # X\n  # of Y\n  - y # Y\n  # of Z\n  - "z" # Z\n', 'a:\n  - x # X\n'],
    ['a flow list on lines', longFlow, 'a: [\n  x # X\n]\n'],
    ['a flow list on one line', 'a: [ x , y , "z" ] # words\n', 'a: [ x ] # words\n'],
    ['a flow list whose line changed since', 'a: [x,y,z] # Words\n', 'a: [x] # Words\n'],
  ])('two lost items of %s come back one after the other', (name, former, today) => {
    const then = name.endsWith('since') ? former.replace('# Words', '# words') : former
    const one = made(then, today, append(['x'], 'y')) ?? ''
    expect(made(then, one, append(['x', 'y'], 'z'))).toBe(former)
    const other = made(then, today, append(['x'], 'z')) ?? ''
    expect(other).not.toContain('Y')
    expect(made(then, other, append(['x', 'z'], 'y'))).toBe(former)
  })

  it('brings no other change of git back: what was added since stays, what was changed stays changed', () => {
    const then = 'a: [\n  x, # short\n  "y", # long\n]\nsnippet: old.sql # first\n'
    const today = 'a: [\n  w, # new\n  x, # Short\n]\nsnippet: new.sql\n'
    expect(made(then, today, append(['w', 'x'], 'y'))).toBe(
      'a: [\n  w, # new\n  x, # Short\n  "y", # long\n]\nsnippet: new.sql\n',
    )
  })

  it('finds the place beside what came and went since', () => {
    const today = 'a: [w, y, v]\n'
    expect(made('a: [x, y, z]\n', today, append(['w', 'y', 'v'], 'x'))).toBe('a: [w, x, y, v]\n')
    expect(made('a: [x, y, z]\n', today, append(['w', 'y', 'v'], 'z'))).toBe('a: [w, y, z, v]\n')
    expect(made('a: [x, z]\n', 'a: [q]\n', append(['q'], 'z'))).toBe('a: [q, z]\n')
  })

  it('keeps what is added where the file had something else, or wrote its lists otherwise', () => {
    const today = 'v: { ID: [a], SG: [c] }\n'
    expect(made(flow, today, set(['v', 'TH'], ['b', 'b2']))).toBe('v: { ID: [a], TH: [b, b2], SG: [c] }\n')
    expect(made('a:\n  - "x" # c\n  - y\n', 'a: [y]\n', append(['y'], 'x'))).toBe('a: [x, y]\n')
    expect(made('a: [x, y]\n', 'a:\n- y\n', append(['y'], 'x'))).toBe('a:\n- x\n- y\n')
  })

  it('knows no place for what the file never had, nor in a text that is no YAML', () => {
    expect(made('a: [y]\n', 'a: [y]\n', append(['y'], 'x'))).toBeUndefined()
    expect(made('a: [x, y\n', 'a: [y]\n', append(['y'], 'x'))).toBeUndefined()
    const edit: Change = { action: 'set', at: ['a', 0], expected: 'y', value: 'x' }
    expect(made('a: [x]\n', 'a: [y]\n', edit)).toBeUndefined()
  })
})
