import type { Reply, Request } from '../child/protocol.js'
import { ChildProcessHandle, type ProcessDeath, prewarmChild } from './child-process-handle.js'

export type ProcessAnswer = { readonly kind: 'reply'; readonly reply: Reply } | ProcessDeath

const childModule = 'engine/child/main.js'

/** One warm child process that answers requests in their order, one at a time. */
export class EngineProcess {
  private readonly pending: ((answer: ProcessAnswer) => void)[] = []
  private readonly handle: ChildProcessHandle

  constructor(scheme: string) {
    this.handle = new ChildProcessHandle(childModule, scheme, {
      onMessage: (message) => {
        if (isReply(message)) this.settle({ kind: 'reply', reply: message })
      },
      onDeath: (death) => {
        for (const _ of [...this.pending]) this.settle(death)
      },
    })
  }

  get alive(): boolean {
    return this.handle.death === undefined
  }

  /** Resolves when the operating system has reaped it. */
  get ended(): Promise<void> {
    return this.handle.ended
  }

  /** Sends a request and waits for its answer; never rejects. */
  request(request: Request): Promise<ProcessAnswer> {
    if (this.handle.death !== undefined) return Promise.resolve(this.handle.death)
    return new Promise((resolve) => {
      this.pending.push(resolve)
      this.handle.hold(true)
      this.handle.send(request)
    })
  }

  residentBytes(): number | undefined {
    return this.handle.residentBytes()
  }

  kill(): void {
    this.handle.kill()
  }

  private settle(answer: ProcessAnswer): void {
    const resolve = this.pending.shift()
    if (this.pending.length === 0) this.handle.hold(false)
    resolve?.(answer)
  }
}

/**
 * Starts a child that the next `EngineProcess` of the scheme uses; it ends with this process, used or not.
 */
export function prewarmProcess(scheme: string): void {
  prewarmChild(childModule, scheme)
}

function isReply(message: unknown): message is Reply {
  return typeof message === 'object' && message !== null && 'body' in message && 'residentBytes' in message
}
