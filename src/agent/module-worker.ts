import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { serialize } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import type { AgentRequest } from './external-agent-protocol.js'

/** Messages from the worker to its owner. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** The module cannot be loaded or exports no function. */
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'answer'; readonly call: number; readonly answer: unknown }
  /** An answer that cannot be cloned: a function, a socket. */
  | { readonly kind: 'unsendable'; readonly call: number; readonly shown: string }
  | { readonly kind: 'too_large'; readonly call: number; readonly bytes: number }
  | { readonly kind: 'thrown'; readonly call: number; readonly message: string; readonly stack: string }

/** Messages from the owner to the worker. */
export type OwnerMessage =
  /** A call, which starts once fewer than `concurrency` are in progress. */
  | { readonly kind: 'call'; readonly call: number; readonly request: AgentRequest }
  /** A call whose result is no longer needed. */
  | { readonly kind: 'forget'; readonly call: number }

export interface WorkerInput {
  /** Absolute path of the user's module. */
  readonly modulePath: string
  /** Maximal number of concurrent calls. */
  readonly concurrency: number
}

type Answer = (request: AgentRequest) => unknown
type Call = Extract<OwnerMessage, { kind: 'call' }>

const port = parentPort
if (port === null) throw new Error('module-worker runs in a worker thread only')
const send = (message: WorkerMessage): void => port.postMessage(message)

/** As for what a command prints. */
const maxAnswerBytes = 1e6

protectProcess()
const { modulePath, concurrency }: WorkerInput = workerData
const answer = await loadDefault(modulePath)
if (answer !== undefined) {
  answerCalls(answer)
  send({ kind: 'ready' })
}

/** A signal to the process that the thread is in would end the run, and every other answer with it. */
function protectProcess(): void {
  const kill = process.kill.bind(process)
  const own = new Set([0, process.pid, -process.pid, process.ppid, -1])
  const guarded = (pid: number, signal?: string | number): true => {
    if (own.has(Number(pid)) && signal !== 0)
      throw new Error('an agent must not end the process that runs it')
    return kill(pid, signal)
  }
  for (const name of ['kill', '_kill'])
    Object.defineProperty(process, name, { value: guarded, writable: false, configurable: false })
}

/**
 * Answers calls. They are queued here, not in the owner: the next one starts while the owner still reads the
 * last answer.
 */
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
    // Deferred: the next messages may cancel the others.
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
    let bytes: number
    try {
      bytes = serialize(value).byteLength
      if (bytes <= maxAnswerBytes) send({ kind: 'answer', call, answer: value })
    } catch {
      // Only sending failed: the value contains something that cannot be cloned.
      send({ kind: 'unsendable', call, shown: inspect(value, { depth: 1 }) })
      return
    }
    if (bytes > maxAnswerBytes) send({ kind: 'too_large', call, bytes })
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    send({ kind: 'thrown', call, message: error instanceof Error ? error.message : inspect(error), stack })
  }
}
