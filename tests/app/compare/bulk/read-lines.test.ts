import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, readLines } from '../../../../src/app/compare/bulk/read-lines.js'

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function linesOf(text: string | Uint8Array, size = 7, maxBytes = 1000): Promise<Line[]> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const lines: Line[] = []
  for await (const line of readLines(chunked(bytes, size), maxBytes)) lines.push(line)
  return lines
}

const texts = (lines: readonly Line[]) =>
  lines.map((line) => (line.kind === 'text' ? line.text.trim() : line.kind))

describe('lines', () => {
  it('end in LF or CRLF, the last one in nothing', async () => {
    expect(texts(await linesOf('{"a":1}\r\n{"b":2}\n{"c":3}'))).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
  })

  it('that are blank are left out and counted', async () => {
    expect((await linesOf('\n  \n{"a":1}\n\r\n{"b":2}\n')).map(({ number }) => number)).toEqual([3, 5])
  })

  it('of an empty input are none', async () => {
    expect(await linesOf('')).toEqual([])
    expect(await linesOf('\n\n')).toEqual([])
  })

  it('lose a byte order mark, of the first line only', async () => {
    const [first, second] = await linesOf('\u{feff}{}\n\u{feff}{}')
    expect([first, second]).toMatchObject([{ text: '{}' }, { text: '\u{feff}{}' }])
  })

  it('may hold line separators that JSON allows in a text', async () => {
    expect(texts(await linesOf('"a\u2028b\u2029c"\n"d"'))).toEqual(['"a\u2028b\u2029c"', '"d"'])
  })

  it('that are too long are named, and the next ones are read', async () => {
    const lines = await linesOf(`{}\n${'x'.repeat(5000)}\n{}`, 64, 100)
    expect(lines).toEqual([
      { kind: 'text', number: 1, text: '{}' },
      { kind: 'too_long', number: 2 },
      { kind: 'text', number: 3, text: '{}' },
    ])
  })

  it('that are not UTF-8 are named: characters in place of bytes would make other texts equal', async () => {
    const bytes = Buffer.concat([Buffer.from('{}\n"'), Buffer.from([0xff]), Buffer.from('"\n"é"')])
    expect(await linesOf(bytes)).toEqual([
      { kind: 'text', number: 1, text: '{}' },
      { kind: 'not_utf8', number: 2 },
      { kind: 'text', number: 3, text: '"é"' },
    ])
  })

  it('are the same however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 9 }), async (text, size) => {
        expect(await linesOf(text, size, 1e6)).toEqual(await linesOf(text, 1e6, 1e6))
      }),
    )
  })
})
