import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import type { AgentRequest } from './protocol.js'

/** Messages from the worker to its owner. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** The module cannot be loaded or exports no function. */
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'answer'; readonly call: number; readonly answer: unknown }
  /** An answer that cannot be sent: a function, a socket. */
  | { readonly kind: 'unsendable'; readonly call: number; readonly shown: string }
  | { readonly kind: 'thrown'; readonly call: number; readonly message: string; readonly stack: string }

/** Messages from the owner to the worker. */
export type OwnerMessage =
  /** A call, which begins once fewer than `concurrency` are under way. */
  | { readonly kind: 'call'; readonly call: number; readonly request: AgentRequest }
  /** Nobody waits for this call any more. */
  | { readonly kind: 'forget'; readonly call: number }

export interface WorkerInput {
  /** The user's module, absolute. */
  readonly modulePath: string
  /** Calls under way at one time. */
  readonly concurrency: number
}

type Answer = (request: AgentRequest) => unknown
type Call = Extract<OwnerMessage, { kind: 'call' }>

const port = parentPort
if (port === null) throw new Error('module-worker runs in a worker thread only')
const send = (message: WorkerMessage): void => port.postMessage(message)

const { modulePath, concurrency }: WorkerInput = workerData
const answer = await loadDefault(modulePath)
if (answer !== undefined) {
  answerCalls(answer)
  send({ kind: 'ready' })
}

/** Calls wait here, not with the owner: the next one begins while the owner still reads the last answer. */
function answerCalls(answer: Answer): void {
  const waiting: Call[] = []
  const under = new Set<number>()
  const begin = (): void => {
    while (under.size < concurrency) {
      const next = waiting.shift()
      if (next === undefined) return
      under.add(next.call)
      void reply(answer, next).then(() => {
        if (under.delete(next.call)) begin()
      })
    }
  }
  port?.on('message', (message: OwnerMessage) => {
    if (message.kind === 'call') {
      waiting.push(message)
      begin()
      return
    }
    const at = waiting.findIndex(({ call }) => call === message.call)
    if (at >= 0) waiting.splice(at, 1)
    // Not at once: the others may be forgotten by the next messages.
    else if (under.delete(message.call)) setImmediate(begin)
  })
}

async function loadDefault(path: string): Promise<Answer | undefined> {
  try {
    const loaded: { default?: unknown } = await import(pathToFileURL(path).href)
    const found = loaded.default
    if (typeof found === 'function') return (request) => found(request)
    send({
      kind: 'unusable',
      message: `its default export is ${inspect(found, { depth: 0 })}, not a function`,
    })
  } catch (error) {
    send({
      kind: 'unusable',
      message: error instanceof Error ? `${error.name}: ${error.message}` : inspect(error),
    })
  }
  return undefined
}

async function reply(answer: Answer, { call, request }: Call): Promise<void> {
  try {
    const value = await answer(request)
    try {
      send({ kind: 'answer', call, answer: value })
    } catch {
      // Only the sending failed: the value holds what no other thread can have.
      send({ kind: 'unsendable', call, shown: inspect(value, { depth: 1 }) })
    }
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    send({ kind: 'thrown', call, message: error instanceof Error ? error.message : inspect(error), stack })
  }
}
