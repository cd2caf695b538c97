import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeJson, encodeJson } from '../../src/store/encode-json.js'

it('keeps integers beyond 2^53 and numbers that JSON has no word for', () => {
  const cells = [9007199254740993n, -1n, Number.NaN, Number.POSITIVE_INFINITY, -0, 1.5, null, true, 'NaN']
  expect(decodeJson(encodeJson(cells))).toEqual(cells)
  expect(encodeJson([9007199254740993n])).toBe('[{"$bigint":"9007199254740993"}]')
})

it('gives back every cell that an engine can return', () => {
  const text = fc.string({ unit: 'binary' })
  const cell = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.bigInt(),
    text,
    fc.record({ kind: fc.constantFrom('decimal', 'date', 'timestamp'), text }),
    fc.record({ kind: fc.constant('other'), type: text, text }),
  )
  fc.assert(
    fc.property(fc.array(cell), (cells) => {
      expect(decodeJson(encodeJson(cells))).toEqual(cells)
    }),
  )
})
