import { Transform } from 'node:stream'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { parseJson } from '../../text/parse-json.js'
import { messageId } from '../serve/message-id.js'

/** Most bytes of one message. */
export const mostMessageBytes = 4_000_000
/** Of a message that is too large: what shows its id. */
const headBytes = 4096

/** What a line is answered with that is no message. */
export interface RefusedLine {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly error: { readonly code: number; readonly message: string }
}

/**
 * Lets lines through that are messages, and answers the others, which would be dropped in silence or read as something else: too large, no UTF-8, no JSON, not
 * of JSON-RPC 2.0.
 */
export function messageLines(onRefused: (answer: RefusedLine) => void): Transform {
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    // Beyond the bound only the beginning is kept.
    if (size <= mostMessageBytes) parts.push(part)
    else parts = [Buffer.concat([...parts, part]).subarray(0, headBytes)]
  }
  const line = (): Buffer | undefined => {
    const bytes = Buffer.concat(parts)
    const problem =
      size > mostMessageBytes
        ? { code: -32600, message: `a message has at most ${mostMessageBytes} bytes` }
        : problemOf(bytes)
    parts = []
    size = 0
    if (bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) return undefined
    if (problem === undefined) return bytes
    onRefused({ jsonrpc: '2.0', id: messageId(bytes), error: problem })
    return undefined
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const kept: Buffer[] = []
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(10, from)
        add(chunk.subarray(from, end < 0 ? chunk.length : end))
        const whole = end < 0 ? undefined : line()
        if (whole !== undefined) kept.push(whole, Buffer.from('\n'))
        from = end < 0 ? chunk.length : end + 1
      }
      done(null, Buffer.concat(kept))
    },
    flush(done) {
      const last = line()
      done(null, last === undefined ? undefined : Buffer.concat([last, Buffer.from('\n')]))
    },
  })
}

function problemOf(bytes: Buffer): RefusedLine['error'] | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { code: -32700, message: 'the message is not UTF-8' }
  }
  const data = parseJson(text)
  if (data === undefined) return { code: -32700, message: 'the message is not JSON' }
  return JSONRPCMessageSchema.safeParse(data).success
    ? undefined
    : { code: -32600, message: 'the message is not one of JSON-RPC 2.0' }
}
