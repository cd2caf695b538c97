import type { Redactor } from '../text/secrets.js'

/** Keeps the last bytes of a stream, whatever its length. */
export interface TextTail {
  add(chunk: Buffer): void
  /**
   * Returns the kept text, from the start of a line if the beginning is lost, without secrets, even truncated
   * ones.
   */
  text(): string
}

export function createTextTail(maxBytes: number, redact: Redactor): TextTail {
  let kept = Buffer.alloc(0)
  let lost = false
  return {
    add(chunk) {
      const joined = Buffer.concat([kept, chunk.subarray(-maxBytes)])
      lost ||= kept.length + chunk.length > maxBytes
      kept = Buffer.from(joined.subarray(-maxBytes))
    },
    text() {
      // A partial character at the cut would hide the secret that contained it.
      const text = redact(kept.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, ''), 'cut')
      const line = text.indexOf('\n')
      return (lost && line >= 0 && line < text.length - 1 ? `…${text.slice(line)}` : text).trim()
    },
  }
}
