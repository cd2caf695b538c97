import type { Readable } from 'node:stream'
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from 'vscode-jsonrpc/node'
import { z } from 'zod'

/** Codes of JSON-RPC 2.0. */
const parseError = -32700
const invalidRequest = -32600

/** What is written for a message that is none. */
export type RejectMessage = (id: string | number | null, code: number, message: string) => void

const mostHeaderBytes = 4096
const mostBodyBytes = 64_000_000

const id = z.union([z.string(), z.number()])
const request = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  id: id.nullish(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
})
const response = z.looseObject({ jsonrpc: z.literal('2.0'), id: id.nullable(), method: z.never().optional() })

/**
 * Reads messages with a `Content-Length` in front of each. What is no message is answered with its code and left out; what follows it is read, as far as its
 * beginning can be told.
 */
export class MessageReader extends AbstractMessageReader {
  readonly #input: Readable
  readonly #reject: RejectMessage
  #waiting: Buffer = Buffer.alloc(0)
  #length: number | undefined

  constructor(input: Readable, reject: RejectMessage) {
    super()
    this.#input = input
    this.#reject = reject
  }

  listen(callback: DataCallback): Disposable {
    const onData = (part: Buffer): void => {
      this.#waiting = this.#waiting.length === 0 ? part : Buffer.concat([this.#waiting, part])
      while (this.#readOne(callback)) {
        // As long as there is a whole message.
      }
    }
    const onEnd = (): void => this.fireClose()
    this.#input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd)
    return { dispose: () => void this.#input.off('data', onData) }
  }

  /** Reads one header or body; false where more bytes have to come first. */
  #readOne(callback: DataCallback): boolean {
    if (this.#length === undefined) return this.#readHeader()
    if (this.#waiting.length < this.#length) return false
    const body = this.#waiting.subarray(0, this.#length)
    this.#waiting = this.#waiting.subarray(this.#length)
    this.#length = undefined
    this.#deliver(body, callback)
    return true
  }

  #readHeader(): boolean {
    const end = this.#waiting.indexOf('\r\n\r\n')
    if (end < 0) {
      if (this.#waiting.length <= mostHeaderBytes) return false
      this.#reject(null, parseError, 'there is no header with a Content-Length')
      this.#skipToHeader()
      return this.#waiting.length > 0
    }
    const header = this.#waiting.subarray(0, end).toString('latin1')
    const length = Number(/(?:^|\r\n)content-length:[ \t]*(\d{1,12})[ \t]*$/im.exec(header)?.[1])
    if (Number.isSafeInteger(length) && length <= mostBodyBytes) {
      this.#waiting = this.#waiting.subarray(end + 4)
      this.#length = length
      return true
    }
    this.#reject(
      null,
      parseError,
      Number.isNaN(length)
        ? 'the header has no Content-Length'
        : `a message has at most ${mostBodyBytes} bytes`,
    )
    this.#waiting = this.#waiting.subarray(end + 4)
    return this.#waiting.length > 0
  }

  /** Goes on at what looks like the next header, and drops what is before it. */
  #skipToHeader(): void {
    const next = this.#waiting.indexOf('Content-Length:', 1)
    this.#waiting = next < 0 ? Buffer.alloc(0) : this.#waiting.subarray(next)
  }

  #deliver(body: Buffer, callback: DataCallback): void {
    let data: unknown
    try {
      data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    } catch {
      this.#reject(null, parseError, 'the message is no JSON in UTF-8')
      return
    }
    const isRequest = request.safeParse(data).success
    if (isRequest || response.safeParse(data).success) {
      callback(data as Message)
      return
    }
    const known = z.object({ id }).safeParse(data)
    this.#reject(
      known.success ? known.data.id : null,
      invalidRequest,
      'the message is no request of JSON-RPC 2.0',
    )
  }
}
