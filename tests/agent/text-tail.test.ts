import { expect, it } from 'vitest'
import { createTextTail } from '../../src/agent/text-tail.js'

function tailOf(maxBytes: number, ...chunks: readonly string[]): string {
  const tail = createTextTail(maxBytes, (text) => text.replaceAll('secret', '***'))
  for (const chunk of chunks) tail.add(Buffer.from(chunk))
  return tail.text()
}

it.each<[string, number, readonly string[], string]>([
  ['a short text is kept whole', 20, ['one\n', 'two\n'], 'one\ntwo'],
  ['a long text is kept from the start of a line', 12, ['first line\nsecond\n'], '…\nsecond'],
  ['a long line is kept from where it is cut', 4, ['abcdefgh'], 'efgh'],
  ['half a character at the cut is left out', 4, ['aéé', 'x'], 'éx'],
  ['secrets are removed', 30, ['the sec', 'ret word'], 'the *** word'],
])('%s', (_, maxBytes, chunks, text) => {
  expect(tailOf(maxBytes, ...chunks)).toBe(text)
})
