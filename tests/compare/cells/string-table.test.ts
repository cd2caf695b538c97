import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createStringTable } from '../../../src/compare/cells/string-table.js'

it('equal texts have equal numbers, others have others, and each is given back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a', '\ud800', '\u{feff}x'))),
      (texts) => {
        const table = createStringTable()
        const ids = texts.map((text) => table.idOf(text))
        expect(ids.map((id, at) => ids.indexOf(id) === texts.indexOf(texts[at] ?? ''))).toEqual(
          texts.map(() => true),
        )
        for (const [at, text] of texts.entries()) {
          expect(table.idOf(text)).toBe(ids[at])
          expect(table.textAt(ids[at] ?? -1)).toBe(text)
        }
      },
    ),
  )
})

it('many and long texts get different numbers', () => {
  const table = createStringTable()
  const many = Array.from({ length: 20_000 }, (_, at) => `${at % 7 === 0 ? 'x'.repeat(50) : ''}name ${at}`)
  expect(many.map((text) => table.idOf(text))).toEqual([...many.keys()])
  expect(many.map((text) => table.idOf(text))).toEqual([...many.keys()])
  expect(table.textAt(19_999)).toBe(many[19_999])
})
