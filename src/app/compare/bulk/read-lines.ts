import { isUtf8 } from 'node:buffer'

/** A line of a file; numbers count from 1. */
export type Line =
  | { readonly kind: 'text'; readonly number: number; readonly text: string }
  /** Longer than may be kept in memory; its text was skipped. */
  | { readonly kind: 'too_long'; readonly number: number }
  | { readonly kind: 'not_utf8'; readonly number: number }

const lineFeed = 0x0a
const byteOrderMark = '\u{feff}'

/**
 * Yields lines of UTF-8 bytes as they arrive, never keeping more than `maxBytes` of one. Line ends are LF or
 * CRLF (not U+2028, as in `node:readline`: it may occur in a JSON text); a byte order mark and blank lines
 * are left out, though counted.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line, void, undefined> {
  let number = 1
  let parts: Uint8Array[] = []
  let size = 0

  function take(part: Uint8Array): void {
    size += part.length
    if (size <= maxBytes) parts.push(part)
    else parts = []
  }

  function end(): Line | undefined {
    const line = lineOf(number, parts, size > maxBytes)
    number++
    parts = []
    size = 0
    return line
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, at))
      start = at + 1
      const line = end()
      if (line !== undefined) yield line
    }
    take(chunk.subarray(start))
  }
  const last = end()
  if (last !== undefined) yield last
}

function lineOf(number: number, parts: readonly Uint8Array[], tooLong: boolean): Line | undefined {
  if (tooLong) return { kind: 'too_long', number }
  const bytes = Buffer.concat(parts)
  // Invalid bytes would all become one character, and queries that differ only in them equal.
  if (!isUtf8(bytes)) return { kind: 'not_utf8', number }
  const read = bytes.toString('utf8')
  const text = number === 1 && read.startsWith(byteOrderMark) ? read.slice(1) : read
  return text.trim() === '' ? undefined : { kind: 'text', number, text }
}
