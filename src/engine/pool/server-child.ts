import type { ServerMessage, ServerReply, ServerReplyBody, ServerRequest } from '../child/server-protocol.js'
import { ChildProcessHandle, type ProcessDeath, prewarmChild } from './child-process-handle.js'

/** How long a child may take to end what runs on its server, in milliseconds. */
const closeMs = 1500

const childModule = 'engine/child/server-main.js'

/** Starts a child that the next `ServerChild` of the scheme uses; it ends with this process, used or not. */
export function prewarmServerChild(scheme: string): void {
  prewarmChild(childModule, scheme)
}

/** One child that asks a server; answers requests in any order. */
export class ServerChild {
  readonly #pending = new Map<number, (answer: ServerReplyBody | ProcessDeath) => void>()
  readonly #handle: ChildProcessHandle
  #lastId = 0

  constructor(scheme: string) {
    this.#handle = new ChildProcessHandle(childModule, scheme, {
      onMessage: (message) => {
        if (isReply(message)) this.#settle(message.id, message.body)
      },
      onDeath: (death) => {
        for (const id of [...this.#pending.keys()]) this.#settle(id, death)
      },
    })
  }

  get isAlive(): boolean {
    return this.#handle.death === undefined
  }

  /** Sends a request and waits for its answer; never rejects. */
  request(request: ServerRequest): Promise<ServerReplyBody | ProcessDeath> {
    const { death } = this.#handle
    if (death !== undefined) return Promise.resolve(death)
    return new Promise((resolve) => {
      this.#lastId += 1
      this.#pending.set(this.#lastId, resolve)
      this.#handle.hold(true)
      const message: ServerMessage = { id: this.#lastId, request }
      this.#handle.send(message)
    })
  }

  residentBytes(): number | undefined {
    return this.#handle.residentBytes()
  }

  /** Lets it end what runs on the server, for a bounded time. */
  async close(): Promise<void> {
    if (this.isAlive) this.#handle.send({ id: 0, request: { kind: 'close', timeoutMs: closeMs } })
    const timer = setTimeout(() => this.#handle.kill(), closeMs)
    this.#handle.hold(true)
    await this.#handle.ended
    clearTimeout(timer)
  }

  kill(): void {
    this.#handle.kill()
  }

  #settle(id: number, answer: ServerReplyBody | ProcessDeath): void {
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#handle.hold(false)
    resolve?.(answer)
  }
}

function isReply(message: unknown): message is ServerReply {
  return typeof message === 'object' && message !== null && 'id' in message && 'body' in message
}
