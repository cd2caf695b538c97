import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { stopYoungGenerations } from '../heap.js'
import type { AgentRequest } from './protocol.js'

/** What the worker tells its owner. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** The module cannot be loaded or exports no function. */
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'answer'; readonly call: number; readonly answer: unknown }
  /** An answer that cannot be sent: a function, a socket. */
  | { readonly kind: 'unsendable'; readonly call: number; readonly shown: string }
  | { readonly kind: 'thrown'; readonly call: number; readonly message: string; readonly stack: string }

export interface WorkerCall {
  readonly call: number
  readonly request: AgentRequest
}

stopYoungGenerations()

const port = parentPort
if (port === null) throw new Error('module-worker runs in a worker thread only')
const send = (message: WorkerMessage): void => port.postMessage(message)

const answer = await loadDefault(String(workerData))
if (answer !== undefined) {
  port.on('message', ({ call, request }: WorkerCall) => void reply(answer, call, request))
  send({ kind: 'ready' })
}

async function loadDefault(path: string): Promise<((request: AgentRequest) => unknown) | undefined> {
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

async function reply(
  ask: (request: AgentRequest) => unknown,
  call: number,
  request: AgentRequest,
): Promise<void> {
  try {
    const value = await ask(request)
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
