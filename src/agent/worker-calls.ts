import { Worker } from 'node:worker_threads'
import type { Redactor } from '../text/secrets.js'
import type { AgentRequest } from './external-agent-protocol.js'
import {
  firstLines,
  keepProcessAlive,
  type ModuleThread,
  printedOutput,
  sendToWorker,
} from './module-thread.js'
import type { WorkerInput, WorkerMessage } from './module-worker.js'
import { createTextTail } from './text-tail.js'

/** The outcome of one call. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly detail?: string | undefined }

export interface WorkerCallsOptions {
  /** Compiled worker module. */
  readonly workerPath: string
  /** Absolute path of the user's module. */
  readonly modulePath: string
  /** Deadline of one call and of loading the module, in milliseconds. */
  readonly timeoutMs: number
  /**
   * Maximal number of concurrent calls. As many more are queued in the worker, which starts them by itself.
   */
  readonly concurrency: number
  /** Removes secrets from the kept output. */
  readonly redact: Redactor
}

interface Call {
  readonly id: number
  readonly request: AgentRequest
  readonly settle: (outcome: CallOutcome) => void
  deadline: NodeJS.Timeout | undefined
  /**
   * It was in progress when a worker died, so it runs alone: if that worker dies too, this call is the cause.
   */
  suspect: boolean
}

const printedBytes = 2_000

/**
 * Runs calls of one user module in a worker thread that is replaced when a call hangs or ends it. Until
 * `close` the thread keeps the process alive, unless `hold(false)` is called.
 */
export class WorkerCalls {
  readonly #options: WorkerCallsOptions
  readonly #waiting: Call[] = []
  readonly #under = new Map<number, Call>()
  /** Sent but not started: each starts when a call in progress ends. */
  readonly #ahead: Call[] = []
  #current: ModuleThread | undefined
  #nextId = 0
  #holds = true

  constructor(options: WorkerCallsOptions) {
    this.#options = options
  }

  /** Loads the module; resolves to the reason if it cannot be used. */
  start(holds = true): Promise<string | undefined> {
    this.#holds = holds
    return new Promise((resolve) => this.#startWorker(resolve))
  }

  /**
   * Sets whether the thread keeps the process alive: one that was prewarmed must not, as it may never be
   * used.
   */
  hold(holds: boolean): void {
    this.#holds = holds
    if (this.#current !== undefined) keepProcessAlive(this.#current, this.#holds)
  }

  call(request: AgentRequest, interrupt: AbortSignal | undefined): Promise<CallOutcome> {
    // A separate signal: Node warns if many calls listen to one.
    const signal = interrupt && AbortSignal.any([interrupt])
    return new Promise((resolve) => {
      const onAbort = (): void => {
        if (this.#current !== undefined) sendToWorker(this.#current, { kind: 'forget', call: call.id })
        this.#ended(call)
        call.settle({ kind: 'failed', message: 'interrupted' })
        // Deferred: the others may be interrupted by the same signal.
        queueMicrotask(() => this.#pump())
      }
      const call: Call = {
        id: this.#nextId++,
        request,
        deadline: undefined,
        suspect: false,
        settle: (outcome) => {
          clearTimeout(call.deadline)
          signal?.removeEventListener('abort', onAbort)
          resolve(outcome)
        },
      }
      this.#waiting.push(call)
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted === true) onAbort()
      else this.#pump()
    })
  }

  async close(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    this.#failAll('the agent was closed')
    await current?.worker.terminate()
  }

  /**
   * Sends the calls that may run now, suspects one at a time and the others up to the limit, and those to run
   * next.
   */
  #pump(): void {
    if (this.#current === undefined) {
      if (this.#waiting.length > 0) this.#restart()
      return
    }
    if (!this.#current.ready) return
    const { concurrency } = this.#options
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const alone = next.suspect || [...this.#under.values()].some(({ suspect }) => suspect)
      const begins = this.#under.size < (alone ? 1 : concurrency)
      if (!begins && (alone || this.#ahead.length >= concurrency)) return
      this.#waiting.shift()
      if (begins) this.#begin(next)
      else this.#ahead.push(next)
      sendToWorker(this.#current, { kind: 'call', call: next.id, request: next.request })
    }
  }

  /** Starts the call's deadline. */
  #begin(call: Call): void {
    this.#under.set(call.id, call)
    call.deadline = setTimeout(() => this.#expire(call), this.#options.timeoutMs)
  }

  #expire(call: Call): void {
    const detail = this.#current && printedOutput(this.#current)
    this.#drop(call)
    this.#replaceWorker()
    const message = `no answer within ${this.#options.timeoutMs / 1000} s`
    call.settle({ kind: 'failed', message, detail })
    this.#pump()
  }

  /**
   * Handles the death of a worker. With one call in progress that is the cause, otherwise each is retried
   * alone.
   */
  #died(running: ModuleThread, reason: string, stack: string | undefined): void {
    if (this.#current !== running) return
    const [only, ...others] = this.#under.values()
    if (only !== undefined && others.length === 0) {
      this.#drop(only)
      const detail = [stack, printedOutput(running)].filter((text) => text !== undefined).join('\n')
      only.settle({ kind: 'failed', message: reason, detail: detail === '' ? undefined : detail })
    }
    this.#replaceWorker()
    this.#pump()
  }

  /** Replaces the worker; calls in progress are retried first and one by one. */
  #replaceWorker(): void {
    const again = [...this.#under.values()]
    this.#under.clear()
    for (const call of again) {
      clearTimeout(call.deadline)
      call.suspect = true
    }
    this.#waiting.unshift(...again, ...this.#ahead.splice(0))
    const old = this.#current
    this.#current = undefined
    void old?.worker.terminate()
  }

  #restart(): void {
    this.#startWorker((problem) => {
      if (problem !== undefined) this.#failAll(`the module cannot be loaded again: ${problem}`)
    })
  }

  #startWorker(loaded: (problem: string | undefined) => void): void {
    const { workerPath, modulePath, timeoutMs, concurrency, redact } = this.#options
    const workerData: WorkerInput = { modulePath, concurrency }
    const worker = new Worker(workerPath, {
      workerData,
      stdout: true,
      stderr: true,
      execArgv: [],
      // A question leaves little garbage: tens of megabytes of it would only look like a leak.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    const running: ModuleThread = {
      worker,
      stdout: createTextTail(printedBytes, redact),
      stderr: createTextTail(printedBytes, redact),
      loading: setTimeout(() => unusable(`loading it took more than ${timeoutMs / 1000} s`), timeoutMs),
      ready: false,
    }
    this.#current = running
    let failure: Error | undefined

    const unusable = (problem: string): void => {
      clearTimeout(running.loading)
      if (this.#current === running) this.#current = undefined
      void worker.terminate()
      loaded(problem)
    }
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'unusable') unusable(message.message)
      else if (message.kind === 'ready') {
        clearTimeout(running.loading)
        running.ready = true
        loaded(undefined)
        this.#pump()
      } else this.#settle(message)
    })
    worker.on('error', (error: Error) => {
      failure = error
    })
    worker.on('exit', (code) => {
      if (this.#current !== running) return
      const reason =
        failure === undefined
          ? `the module ended its process (exit code ${code})`
          : `uncaught error: ${failure.message}`
      if (running.ready) this.#died(running, reason, failure && firstLines(failure.stack ?? ''))
      else unusable(reason)
    })
    keepProcessAlive(running, this.#holds)
  }

  #settle(message: Extract<WorkerMessage, { call: number }>): void {
    const call = this.#under.get(message.call)
    if (call === undefined) return
    this.#ended(call)
    if (message.kind === 'answer') call.settle({ kind: 'answer', answer: message.answer })
    else if (message.kind === 'thrown')
      call.settle({
        kind: 'failed',
        message: `it threw: ${message.message}`,
        detail: firstLines(message.stack),
      })
    else if (message.kind === 'too_large')
      call.settle({
        kind: 'failed',
        message: `its answer has ${(message.bytes / 1e6).toFixed(1)} MB, more than 1 MB`,
      })
    else call.settle({ kind: 'failed', message: 'its answer is not plain data', detail: message.shown })
    this.#pump()
  }

  /** Handles the end of a call: if it was in progress, the worker has started the next one. */
  #ended(call: Call): void {
    const next = this.#under.has(call.id) ? this.#ahead.shift() : undefined
    this.#drop(call)
    if (next !== undefined) this.#begin(next)
  }

  #drop(call: Call): void {
    this.#under.delete(call.id)
    for (const calls of [this.#ahead, this.#waiting]) {
      const at = calls.indexOf(call)
      if (at >= 0) calls.splice(at, 1)
    }
  }

  #failAll(message: string): void {
    const calls = [...this.#under.values(), ...this.#ahead.splice(0), ...this.#waiting.splice(0)]
    this.#under.clear()
    for (const call of calls) call.settle({ kind: 'failed', message })
  }
}
