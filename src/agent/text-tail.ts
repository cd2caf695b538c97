/** Keeps the last bytes of a stream, whatever its length. */
export interface TextTail {
  add(chunk: Buffer): void
  /** The text kept, from a line's start where the beginning is lost. */
  text(): string
}

export function createTextTail(maxBytes: number): TextTail {
  let kept = Buffer.alloc(0)
  let lost = false
  return {
    add(chunk) {
      const joined = Buffer.concat([kept, chunk.subarray(-maxBytes)])
      lost ||= kept.length + chunk.length > maxBytes
      kept = Buffer.from(joined.subarray(-maxBytes))
    },
    text() {
      const text = kept.toString('utf8')
      const line = text.indexOf('\n')
      return (lost && line >= 0 && line < text.length - 1 ? `…${text.slice(line)}` : text).trim()
    },
  }
}
