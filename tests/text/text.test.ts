import { describe, expect, it } from 'vitest'
import { parseCommaList } from '../../src/text/comma-list.js'
import { isIsoDate } from '../../src/text/iso-date.js'
import { literalPattern } from '../../src/text/literal-pattern.js'
import { changedText, inserted } from '../../src/text/text-changes.js'
import { isTruncatedJson } from '../../src/text/truncated-json.js'
import { decodeUtf8 } from '../../src/text/utf8.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it.each([
  [undefined, []],
  [
    ['a, b', '', ' c '],
    ['a', 'b', 'c'],
  ],
  [[',,'], []],
])('the comma list %j holds %j', (values, items) => {
  expect(parseCommaList(values)).toEqual(items)
})

it.each([
  ['2024-02-29', true],
  ['2025-02-29', false],
  ['2025-13-01', false],
  ['2025-1-1', false],
  ['2025-01-01 ', false],
])('%j as a day of the calendar: %s', (text, is) => {
  expect(isIsoDate(text)).toBe(is)
})

it.each(['a.b', '(x)*', '[^$]', '\\d{2}|+?'])(
  'the literal pattern of %j matches only the text itself',
  (text) => {
    const pattern = new RegExp(`^${literalPattern(text)}$`, 'u')
    expect(pattern.test(text)).toBe(true)
    expect(pattern.test(`${text}x`)).toBe(false)
  },
)

it.each([
  ['{"a": 1', true],
  ['{"a": "é', true],
  ['{"a": 1}', false],
  ['{"a": x', false],
  ['[1, 2', false],
  ['', false],
])('%j as the beginning of a JSON object: %s', (text, is) => {
  expect(isTruncatedJson(bytes(text))).toBe(is)
})

it('the beginning of a JSON object may end within a character', () => {
  expect(isTruncatedJson(bytes('{"a": "é').slice(0, -1))).toBe(true)
  expect(isTruncatedJson(Uint8Array.of(0x7b, 0xff))).toBe(false)
})

it('UTF-8 is decoded without its byte order mark, and nothing else is', () => {
  expect(decodeUtf8(bytes('\u{feff}é'))).toBe('é')
  expect(decodeUtf8(Uint8Array.of(0xff))).toBeUndefined()
})

describe('changes of a text', () => {
  it('are made at the places of the text as it was', () => {
    expect(changedText('abcdef', [{ start: 1, end: 3, text: 'X' }, inserted(5, '--')])).toBe('aXde--f')
  })

  it('at one place come in reverse order', () => {
    expect(changedText('ab', [inserted(1, '1'), inserted(1, '2')])).toBe('a21b')
  })
})
