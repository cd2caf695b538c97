import { AutotestError } from '../../errors.js'
import type { ServerReplyBody, ServerRequest } from '../child/server-protocol.js'
import type { QueryOutcome } from '../contract/engine.js'
import type { RoleRights } from '../contract/role-rights.js'
import { ServerChild } from './server-child.js'

/** How often running requests are checked, in milliseconds. */
const watchMs = 50

/** How long after its deadline a request may still be answered: the child has to end what runs on the server, or to find that nothing answers. */
const graceMs = 5000

/** After so many requests that others kept waiting, half as many are asked at once. */
const busyBeforeFewer = 4

export interface ServerProcessOptions {
  readonly scheme: string
  readonly connect: Extract<ServerRequest, { readonly kind: 'connect' }>
  /** The database as configured, for messages. */
  readonly name: string
  /** How many requests the server gets at once. */
  readonly concurrency: number
  /** Resident memory of the child, in bytes. */
  readonly memoryBytes: number
  readonly onNote: (text: string) => void
  readonly onRights: (rights: RoleRights) => void
}

type Answer = ServerReplyBody | Extract<QueryOutcome, { readonly kind: 'killed' }>

interface Job {
  readonly request: ServerRequest
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  startedAt: number
  /** It was running when the child died or grew too large, which it may have caused: it runs alone. */
  suspect: boolean
}

/**
 * One child that asks a server many things at once. Where it dies or grows too large, what ran is asked again, one after the
 * other, in a new child, so that only the cause is answered as killed.
 */
export class ServerProcess {
  readonly #options: ServerProcessOptions
  readonly #running = new Set<Job>()
  /** How many requests the server gets at once; it falls when the server is found to be busy. */
  #most: number
  #busy = 0
  #hasSaidFewer = false
  readonly #queue: Job[] = []
  #child: ServerChild | undefined
  /** It is connecting. */
  #next: ServerChild | undefined
  #starting: Promise<void> | undefined
  #watch: NodeJS.Timeout | undefined
  #closed = false
  #hasConnected = false

  constructor(options: ServerProcessOptions) {
    this.#options = options
    this.#most = Math.max(1, options.concurrency)
  }

  /** Connects; throws `engine_unavailable`. */
  start(): Promise<void> {
    this.#starting ??= this.#connect().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  /** Throws `engine_unavailable` where the server or the child fails. */
  run(request: ServerRequest): Promise<Answer> {
    if (this.#closed) return Promise.reject(this.#unavailable('the engine is closed'))
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject, startedAt: 0, suspect: false })
      this.#dispatch()
    })
  }

  /** Ends what runs on the server, and the child; what is running and waiting is answered as killed. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#watch)
    for (const job of [...this.#queue.splice(0), ...this.#running])
      job.resolve({ kind: 'killed', limit: 'deadline', message: 'the engine was closed' })
    this.#running.clear()
    await Promise.all([this.#child?.close(), this.#next?.close()])
  }

  async #connect(): Promise<void> {
    const child = new ServerChild(this.#options.scheme)
    this.#next = child
    const answer = await child.request(this.#options.connect)
    if (this.#closed) return child.close()
    this.#next = undefined
    if (answer.kind === 'died')
      throw this.#unavailable(`the engine process cannot be started: ${answer.reason}`)
    if (answer.kind === 'unavailable') {
      await child.close()
      throw this.#unavailable(answer.message, answer.hint, answer.isBusy)
    }
    if (answer.kind === 'connected' && !this.#hasConnected) {
      for (const note of answer.notes) this.#options.onNote(note)
      if (answer.rights !== undefined && answer.rights.rights.length > 0)
        this.#options.onRights(answer.rights)
    }
    this.#hasConnected = true
    this.#child = child
  }

  #dispatch(): void {
    if (this.#queue.length === 0) return
    const child = this.#child
    if (child === undefined || !child.isAlive) {
      this.start().then(
        () => this.#dispatch(),
        (error: Error) => {
          for (const job of this.#queue.splice(0)) job.reject(error)
        },
      )
      return
    }
    for (;;) {
      const [next] = this.#queue
      const isAlone = [...this.#running].some((job) => job.suspect)
      const { size } = this.#running
      if (next === undefined || isAlone || (next.suspect && size > 0)) break
      if (size >= this.#most) break
      this.#queue.shift()
      void this.#work(child, next)
    }
    this.#watch ??= setInterval(() => this.#check(), watchMs).unref()
  }

  async #work(child: ServerChild, job: Job): Promise<void> {
    job.startedAt = performance.now()
    this.#running.add(job)
    const answer = await child.request(job.request)
    // It was taken from a child that was killed, or that died and was replaced for another of its jobs.
    if (child !== this.#child) return
    if (answer.kind === 'died') {
      this.#replace(undefined, 'memory', `the engine process died: ${answer.reason}`)
      return
    }
    this.#running.delete(job)
    if (answer.kind === 'no-slot') {
      // It waits here for its turn, which is no time of its own.
      this.#askFewer(Math.max(1, this.#running.size), answer.message)
      this.#queue.unshift(job)
    } else if (answer.kind === 'unavailable') {
      if (answer.isBusy && ++this.#busy % busyBeforeFewer === 0)
        this.#askFewer(Math.max(1, Math.floor(this.#most / 2)), answer.message)
      job.reject(this.#unavailable(answer.message, answer.hint, answer.isBusy))
    } else {
      job.resolve(answer)
    }
    this.#dispatch()
  }

  /** Says so once. */
  #askFewer(most: number, reason: string): void {
    if (most >= this.#most) return
    this.#most = most
    if (this.#hasSaidFewer) return
    this.#hasSaidFewer = true
    this.#options.onNote(`the server is busy (${reason}): fewer queries are asked at a time`)
  }

  #check(): void {
    if (this.#running.size === 0) return
    const now = performance.now()
    // It may wait for so long, and then run for so long.
    const late = [...this.#running].find((job) => now - job.startedAt > 2 * job.request.timeoutMs + graceMs)
    const { memoryBytes } = this.#options
    if (late !== undefined)
      this.#replace(late, 'deadline', `stopped at its deadline of ${late.request.timeoutMs / 1000} s`)
    else if ((this.#child?.residentBytes() ?? 0) > memoryBytes)
      this.#replace(undefined, 'memory', `stopped at its memory limit of ${Math.round(memoryBytes / 1e6)} MB`)
  }

  /** Kills the child. The cause, or what ran alone, is answered as killed; everything else is asked again. */
  #replace(cause: Job | undefined, limit: 'deadline' | 'memory', message: string): void {
    this.#child?.kill()
    this.#child = undefined
    const jobs = [...this.#running]
    this.#running.clear()
    const killed = cause ?? (jobs.length === 1 ? jobs[0] : undefined)
    killed?.resolve({ kind: 'killed', limit, message })
    const others = jobs.filter((job) => job !== killed)
    for (const job of others) job.suspect = cause === undefined
    this.#queue.unshift(...others)
    this.#dispatch()
  }

  #unavailable(problem: string, hint?: string, isBusy = false): AutotestError {
    return new AutotestError(
      isBusy ? 'engine_busy' : 'engine_unavailable',
      `${this.#options.name}: ${problem}`,
      {
        hint: hint ?? 'Check the server, then run again.',
      },
    )
  }
}
