import { expect, it } from 'vitest'
import { spliceText } from '../../../src/kb/entries/splice-text.js'

it.each([
  [
    'a folded block',
    '>-\n      SELECT AVG(fee) FROM visits\n      WHERE a = 1\n',
    'SELECT AVG(fee) FROM visits WHERE a = 1',
    'SELECT SUM(fee) FROM visits WHERE a = 1',
    '>-\n      SELECT SUM(fee) FROM visits\n      WHERE a = 1\n',
  ],
  [
    'a literal block',
    '|\n  SELECT 1\n  FROM a\n',
    'SELECT 1\nFROM a\n',
    'SELECT 1\nFROM a\nWHERE b\n',
    '|\n  SELECT 1\n  FROM a\n  WHERE b\n',
  ],
  [
    'JSON',
    '"SELECT \\"a\\"\\nFROM b"',
    'SELECT "a"\nFROM b',
    'SELECT "a"\nFROM c',
    '"SELECT \\"a\\"\\nFROM c"',
  ],
  ['CSV', '"SELECT ""a"" FROM b"', 'SELECT "a" FROM b', 'SELECT "a" FROM c', '"SELECT ""a"" FROM c"'],
  ['lines in a list', 'SELECT 1\r\n  FROM a', 'SELECT 1\nFROM a', 'SELECT 2\nFROM a', 'SELECT 2\r\n  FROM a'],
])('%s keeps what is around the changed part', (_name, source, text, changed, written) => {
  expect(spliceText(source, text, changed)).toBe(written)
})

it('gives up where the source is not the text', () => {
  expect(spliceText('"SELECT \\u0031"', 'SELECT 1', 'SELECT 2')).toBeUndefined()
  expect(spliceText('SELECT 1', 'SELECT 1', 'SELECT 1\nFROM a')).toBeUndefined()
})
