import type { Failure } from '../provider.js'
import { findRepeatedEnd } from '../repeated-end.js'
import { readBody } from './bounded-body.js'
import { createStreamAssembly, type StreamAssembly } from './stream-assembly.js'

/** A reply as it was received. */
export type ReceivedReply =
  /** Whole: JSON, or a stream that was put together in the same form. */
  | { readonly kind: 'body'; readonly body: Uint8Array }
  /** A stream that was stopped because the model repeated itself. */
  | { readonly kind: 'loop'; readonly assembly: StreamAssembly }
  | { readonly kind: 'failure'; readonly failure: Failure }

/** New characters after which the end of an answer is looked at. */
const watchedCharacters = 48

const sseStart = /^\s*(?:(?:data|event|id|retry):|:)/

/**
 * Reads a reply. A stream is put together, whether it was asked for or not, and stopped as soon as its end repeats
 * itself. Throws `BodyTooLarge` as soon as it is larger than `maxBytes`.
 *
 * @param onParts called with the number of parts of a streamed answer that have arrived; with undefined for one that is not streamed
 */
export async function readReply(
  response: Response,
  maxBytes: number,
  onParts: (parts: number | undefined) => void,
): Promise<ReceivedReply> {
  if (/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? ''))
    return readStream(response, maxBytes, onParts)
  onParts(undefined)
  const body = await readBody(response, maxBytes)
  const text = sseStart.test(new TextDecoder().decode(body.subarray(0, 64)))
    ? new TextDecoder().decode(body)
    : undefined
  if (text === undefined) return { kind: 'body', body }
  const assembly = createStreamAssembly()
  assembly.feed(`${text}\n\n`)
  return received(assembly)
}

async function readStream(
  response: Response,
  maxBytes: number,
  onParts: (parts: number) => void,
): Promise<ReceivedReply> {
  const assembly = createStreamAssembly()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let looked = 0
  let loops = false
  const take = (part: Uint8Array): boolean => {
    assembly.feed(decoder.decode(part, { stream: true }))
    onParts(assembly.parts())
    if (assembly.length() - looked < watchedCharacters) return true
    looked = assembly.length()
    loops = findRepeatedEnd(assembly.tail()) !== undefined
    return !loops
  }
  try {
    await readBody(response, maxBytes, take)
  } catch (error) {
    if (
      !(error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    )
      throw error
    const failure: Failure = { kind: 'failure', failure: 'incompatible', message: 'the stream is not UTF-8' }
    return { kind: 'failure', failure }
  }
  if (loops) return { kind: 'loop', assembly }
  return received(assembly)
}

function received(assembly: StreamAssembly): ReceivedReply {
  const fault = assembly.fault()
  if (fault !== undefined) {
    const message = `the stream has an event that is not one of chat completions: ${fault.slice(0, 80)}`
    return { kind: 'failure', failure: { kind: 'failure', failure: 'incompatible', message } }
  }
  if (!assembly.isFinished()) {
    const failure: Failure = {
      kind: 'failure',
      failure: 'unusable',
      message: 'the stream ended before the answer did',
      hint: 'Check the log of the server, and the time limits of the proxy in front of it.',
      receivedTokens: assembly.parts(),
      said: assembly.written(),
    }
    return { kind: 'failure', failure }
  }
  const body = new TextEncoder().encode(JSON.stringify(assembly.body()))
  return { kind: 'body', body }
}
