import type { Readable } from 'node:stream'
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from 'vscode-jsonrpc/node'
import { z } from 'zod'
import { MessageFrames } from './message-frames.js'
import { messageId } from './message-id.js'

/** Codes of JSON-RPC 2.0. */
const parseError = -32700
const invalidRequest = -32600

/** What is written for a message that is none. */
export type RejectMessage = (id: string | number | null, code: number, message: string) => void

const duplicate = 'the id is that of a request that has no answer yet'
const id = z.union([z.string(), z.number()])
const request = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  id: id.optional(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
})
const response = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: id.nullable(), method: z.never().optional() })
  .refine((data) => 'result' in data || 'error' in data)
const cancel = z.object({ method: z.literal('$/cancelRequest') })
const cancelled = z.object({ params: z.object({ id }) })

/** Reads messages. What is none is answered with its code, and with its id where that can be read; what follows it is read. */
export class MessageReader extends AbstractMessageReader {
  readonly #input: Readable
  readonly #reject: RejectMessage
  /** Ids of requests that have no answer yet. */
  readonly #open = new Set<string>()

  constructor(input: Readable, reject: RejectMessage) {
    super()
    this.#input = input
    this.#reject = reject
  }

  listen(callback: DataCallback): Disposable {
    const frames = new MessageFrames({
      onBody: (body) => this.#deliver(body, callback),
      onBroken: ({ reason, head }) => this.#reject(messageId(head), parseError, reason),
    })
    const onData = (part: Buffer): void => frames.push(part)
    const onEnd = (): void => {
      frames.end()
      this.fireClose()
    }
    this.#input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd)
    return { dispose: () => void this.#input.off('data', onData) }
  }

  /** A request has its answer: its id may be used again. */
  answered(answer: string | number): void {
    this.#open.delete(String(answer))
  }

  #deliver(body: Buffer, callback: DataCallback): string | undefined {
    let data: unknown
    try {
      data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    } catch {
      return 'the message is not JSON in UTF-8'
    }
    const problem = this.#problemOf(data)
    if (problem === undefined) callback(data as Message)
    // With the id the first of them would be taken for answered.
    else this.#reject(problem === duplicate ? null : messageId(body), invalidRequest, problem)
    return undefined
  }

  /** Returns why JSON is no message that the connection can deal with; undefined if it is one. */
  #problemOf(data: unknown): string | undefined {
    const { success, data: read } = request.safeParse(data)
    if (!success)
      return response.safeParse(data).success ? undefined : 'the message is not a request of JSON-RPC 2.0'
    if (cancel.safeParse(data).success && !cancelled.safeParse(data).success)
      return '$/cancelRequest names no id'
    if (read.id === undefined) return undefined
    // Of two requests with one id the first would have no answer.
    const key = String(read.id)
    if (this.#open.has(key)) return duplicate
    this.#open.add(key)
    return undefined
  }
}
