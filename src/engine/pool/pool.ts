import { availableParallelism } from 'node:os'
import { AutotestError } from '../../errors.js'
import type { Reply, ReplyBody, Request } from '../child/protocol.js'
import type { ProcessAnswer } from './engine-process.js'
import { type AssignedJob, type Job, type KilledOutcome, type Limits, PoolMember } from './pool-member.js'
import { type ExceededLimit, exceededLimit, shouldGrow, shouldRecycle } from './pool-policy.js'

/** How often running queries are checked, in milliseconds. */
const watchMs = 25

export interface PoolOptions {
  readonly scheme: string
  /** The first request to every child. */
  readonly open: Request
  /** The database as configured, for messages. */
  readonly name: string
  readonly concurrency: number
}

/**
 * Warm children that run one request at a time: one child at first, more when queries have to wait for slow
 * ones.
 */
export class EnginePool {
  private readonly options: PoolOptions
  private readonly most: number
  private readonly members = new Set<PoolMember>()
  private readonly queue: Job[] = []
  private readonly ending = new Set<Promise<void>>()
  private watch: NodeJS.Timeout | undefined
  private deathsAtStart = 0
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.most = Math.max(1, Math.min(options.concurrency, availableParallelism()))
  }

  /** Number of live processes. */
  get size(): number {
    return this.members.size
  }

  /** Starts the first child and waits until it has opened the database; throws `engine_unavailable`. */
  async start(): Promise<void> {
    const failure = await this.addMember()
    if (failure !== undefined) throw failure
  }

  /** Runs a request in the next free child. Throws `engine_unavailable` if the engine fails. */
  run(request: Request, limits: Limits): Promise<ReplyBody | KilledOutcome> {
    if (this.closed) return Promise.reject(this.unavailable('the engine is closed'))
    return new Promise((resolve, reject) => {
      // An agent waits for the answer whether a query would run; scoring can wait.
      const at = request.kind === 'explain' ? this.queue.findIndex(isNotExplain) : -1
      const job = { request, limits, resolve, reject, suspect: false }
      this.queue.splice(at < 0 ? this.queue.length : at, 0, job)
      this.dispatch()
    })
  }

  /** Ends every child; running and waiting requests are answered as killed. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    const closing: KilledOutcome = { kind: 'killed', limit: 'deadline', message: 'the engine was closed' }
    for (const job of this.queue.splice(0)) job.resolve(closing)
    for (const member of [...this.members]) {
      for (const { job, wanted } of member.clear()) if (wanted) job.resolve(closing)
      this.end(member)
    }
    await Promise.all(this.ending)
  }

  private dispatch(): void {
    for (const member of [...this.members]) {
      if (!member.ready || member.running !== undefined) continue
      // Another program ended it while it was idle: no query of this run is the cause.
      if (!member.process.alive) this.end(member)
      else {
        const job = this.queue.shift() ?? this.reclaimBlocked()
        if (job !== undefined) void this.work(member, job)
      }
    }
    for (const member of this.members) {
      const [next] = this.queue
      if (next === undefined) break
      if (member.canAccept(next)) void this.work(member, this.queue.shift() as Job)
    }
    if (this.queue.length > 0 && this.members.size === 0) void this.addMember()
    this.updateWatchdog()
  }

  /** Reclaims the job queued in the pipe of a child whose current job turned out to be slow. */
  private reclaimBlocked(): Job | undefined {
    const now = performance.now()
    for (const member of this.members) {
      const job = member.runningMs(now) > watchMs ? member.reclaimWaiting() : undefined
      if (job !== undefined) return job
    }
    return undefined
  }

  /** Starts a child; on failure fails everything that waits, and returns the error. */
  private async addMember(): Promise<AutotestError | undefined> {
    const member = new PoolMember(this.options.scheme)
    this.members.add(member)
    const answer = await member.process.request(this.options.open)
    if (this.closed) return undefined
    if (answer.kind === 'reply' && answer.reply.body.kind !== 'unavailable') {
      this.deathsAtStart = 0
      member.ready = true
      this.dispatch()
      return undefined
    }
    this.end(member)
    if (answer.kind === 'died') {
      this.deathsAtStart += 1
      if (this.deathsAtStart < 2) return this.addMember()
    }
    this.deathsAtStart = 0
    const error = this.unavailable(startFailure(answer))
    // Working children continue; the queue would be stuck only if none is left.
    if (this.members.size === 0) for (const job of this.queue.splice(0)) job.reject(error)
    return error
  }

  private async work(member: PoolMember, job: Job): Promise<void> {
    const given = member.assign(job, performance.now())
    const answer = await member.process.request(job.request)
    if (!this.members.has(member)) return
    if (answer.kind === 'died') {
      this.replace(member, {
        kind: 'killed',
        limit: 'memory',
        message: `the engine process died: ${answer.reason}`,
      })
      return
    }
    member.finish(performance.now())
    this.deliver(given, answer.reply)
    if (answer.reply.isTainted || shouldRecycle(answer.reply.residentBytes, job.limits.memoryBytes))
      this.replace(member)
    this.dispatch()
  }

  private deliver({ job, wanted }: AssignedJob, { body }: Reply): void {
    if (!wanted) return
    if (body.kind === 'unavailable') job.reject(this.unavailable(body.message))
    else job.resolve(body)
  }

  /** Ends a child and starts a fresh one in its place, warm before it is needed. */
  private replace(member: PoolMember, outcome?: KilledOutcome): void {
    this.end(member, outcome)
    if (this.members.size === 0) void this.addMember()
    this.dispatch()
  }

  /**
   * Ends a child. The outcome belongs to its current job, unless another one was queued: an unread reply may
   * have been the first one's. Then both run again, each alone.
   */
  private end(member: PoolMember, outcome?: KilledOutcome): void {
    this.members.delete(member)
    const shared = member.waiting !== undefined && outcome?.limit === 'memory'
    const [first, ...behind] = member.clear()
    member.process.kill()
    const ended = member.process.ended.then(() => {
      this.ending.delete(ended)
    })
    this.ending.add(ended)
    if (first === undefined) return
    const again = outcome === undefined || shared ? [first, ...behind] : behind
    if (outcome !== undefined && !shared && first.wanted) first.job.resolve(outcome)
    for (const { job } of again) job.suspect ||= shared
    this.queue.unshift(...again.flatMap(({ job, wanted }) => (wanted ? [job] : [])))
  }

  /** Checks running queries as long as there are any. */
  private updateWatchdog(): void {
    const working = this.queue.length > 0 || [...this.members].some((member) => member.running !== undefined)
    if (working && this.watch === undefined && !this.closed)
      this.watch = setInterval(() => this.checkLimits(), watchMs)
    if (!working) {
      clearInterval(this.watch)
      this.watch = undefined
    }
  }

  private checkLimits(): void {
    const now = performance.now()
    for (const member of [...this.members]) {
      if (member.running === undefined) continue
      const { limits } = member.running.job
      const found = exceededLimit(member.runningMs(now), member.process.residentBytes(), limits)
      if (found === 'deadline' && !member.late) member.late = true
      else if (found !== undefined) this.replace(member, killed(found, limits))
    }
    const members = [...this.members]
    const waiting = this.queue.length + members.filter(({ waiting }) => waiting?.wanted === true).length
    const running = members.map((member) => member.runningMs(now))
    if (shouldGrow(waiting, running, this.most)) void this.addMember()
    this.updateWatchdog()
  }

  private unavailable(problem: string): AutotestError {
    return new AutotestError('engine_unavailable', `${this.options.name}: ${problem}`, {
      hint: 'Check the database file and other programs that have it open, then run again.',
    })
  }
}

function isNotExplain({ request }: Job): boolean {
  return request.kind !== 'explain'
}

function startFailure(answer: ProcessAnswer): string {
  if (answer.kind === 'died') return `the engine process cannot be started: ${answer.reason}`
  return answer.reply.body.kind === 'unavailable'
    ? answer.reply.body.message
    : 'the engine process cannot be started'
}

function killed(limit: ExceededLimit, limits: Limits): KilledOutcome {
  const message =
    limit === 'deadline'
      ? `stopped at its deadline of ${limits.timeoutMs / 1000} s`
      : `stopped at its memory limit of ${Math.round(limits.memoryBytes / 1e6)} MB`
  return { kind: 'killed', limit, message }
}
