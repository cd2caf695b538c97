import fc from 'fast-check'
import { expect, it } from 'vitest'
import { detectLineEnding, splitLines } from '../../src/snapshot/line-endings.js'

it.each([
  ['a\nb\n', '\n'],
  ['a\r\nb\r\nc\n', '\r\n'],
  ['a\rb\r', '\r'],
  ['a\rb\n', '\n'],
  ['a', '\n'],
  ['', '\n'],
])('the lines of %j end in %j', (text, end) => {
  expect(detectLineEnding(text)).toBe(end)
})

it('splits at every line end, and gives the text back byte by byte', () => {
  expect(splitLines('a\nb\r\nc\rd')).toEqual(['a\n', 'b\r\n', 'c\r', 'd'])
  const texts = fc.array(fc.constantFrom('a', ' ', '\r', '\n', '\r\n')).map((parts) => parts.join(''))
  fc.assert(fc.property(texts, (text) => splitLines(text).join('') === text))
})
