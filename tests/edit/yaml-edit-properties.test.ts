import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { YamlValue } from '../../src/edit/edit-types.js'
import { edit } from './edited-metric.js'

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
