import { availableParallelism } from 'node:os'
import { AutotestError } from '../errors.js'
import type { QueryLimits, QueryOutcome } from './engine.js'
import { type Answer, EngineProcess } from './engine-process.js'
import { type Overrun, overrun, shouldGrow, wornOut } from './pool-rules.js'
import type { Reply, ReplyBody, Request } from './protocol.js'

type Limits = Pick<QueryLimits, 'timeoutMs' | 'memoryBytes'>
type Killed = Extract<QueryOutcome, { kind: 'killed' }>

interface Job {
  readonly request: Request
  readonly limits: Limits
  readonly resolve: (body: ReplyBody | Killed) => void
  readonly reject: (error: AutotestError) => void
}

interface Member {
  readonly process: EngineProcess
  ready: boolean
  job: Job | undefined
  startedAt: number
  /** It looked late once; a reply that waits in the pipe while the parent is busy gets a second look. */
  late: boolean
}

/** How often running queries are looked at, in milliseconds. */
const watchMs = 25

export interface PoolOptions {
  readonly scheme: string
  /** What every child is told first. */
  readonly open: Request
  /** The database as configured, for messages. */
  readonly name: string
  readonly concurrency: number
}

/** Warm children that run one request each: one at first, more when queries have to wait for slow ones. */
export class EnginePool {
  private readonly options: PoolOptions
  private readonly most: number
  private readonly members = new Set<Member>()
  private readonly queue: Job[] = []
  private readonly ending = new Set<Promise<void>>()
  private watch: NodeJS.Timeout | undefined
  private deathsAtStart = 0
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    this.most = Math.max(1, Math.min(options.concurrency, availableParallelism()))
  }

  /** Processes that live now. */
  get size(): number {
    return this.members.size
  }

  /** Starts the first child and waits until it has opened the database; throws `engine_unavailable`. */
  async start(): Promise<void> {
    const failure = await this.addMember()
    if (failure !== undefined) throw failure
  }

  /** Runs a request in the next free child. Throws `engine_unavailable` where the engine is at fault. */
  run(request: Request, limits: Limits): Promise<ReplyBody | Killed> {
    if (this.closed) return Promise.reject(this.unavailable('the engine is closed'))
    return new Promise((resolve, reject) => {
      // Who asks whether a query would run has an agent waiting; what is to be scored can wait.
      const at = request.kind === 'explain' ? this.queue.findIndex(isNoExplain) : -1
      this.queue.splice(at < 0 ? this.queue.length : at, 0, { request, limits, resolve, reject })
      this.dispatch()
    })
  }

  /** Ends every child; what still runs or waits is answered as killed. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    const closing: Killed = { kind: 'killed', limit: 'deadline', message: 'the engine was closed' }
    for (const job of this.queue.splice(0)) job.resolve(closing)
    for (const member of [...this.members]) this.end(member, closing)
    await Promise.all(this.ending)
  }

  private dispatch(): void {
    for (const member of [...this.members]) {
      if (this.queue.length === 0) break
      // Ended by somebody else while it was idle: no query of ours is to blame.
      if (member.ready && !member.process.alive) this.end(member, undefined)
      else if (member.ready && member.job === undefined) void this.work(member)
    }
    if (this.queue.length > 0 && this.members.size === 0) void this.addMember()
    this.keepWatch()
  }

  /** Starts a child; on failure fails everything that waits, and returns the error. */
  private async addMember(): Promise<AutotestError | undefined> {
    const member: Member = {
      process: new EngineProcess(this.options.scheme),
      ready: false,
      job: undefined,
      startedAt: 0,
      late: false,
    }
    this.members.add(member)
    const answer = await member.process.request(this.options.open)
    if (this.closed) return undefined
    if (answer.kind === 'reply' && answer.reply.body.kind !== 'unavailable') {
      this.deathsAtStart = 0
      member.ready = true
      this.dispatch()
      return undefined
    }
    this.end(member, undefined)
    if (answer.kind === 'died') {
      this.deathsAtStart += 1
      if (this.deathsAtStart < 2) return this.addMember()
    }
    this.deathsAtStart = 0
    const error = this.unavailable(startFailure(answer))
    // Children that work go on; only where none is left does nobody come for the queue.
    if (this.members.size === 0) for (const job of this.queue.splice(0)) job.reject(error)
    return error
  }

  private async work(member: Member): Promise<void> {
    const job = this.queue.shift()
    if (job === undefined) return
    Object.assign(member, { job, startedAt: performance.now(), late: false })
    const answer = await member.process.request(job.request)
    if (member.job !== job) return
    if (answer.kind === 'died') {
      this.replace(member, {
        kind: 'killed',
        limit: 'memory',
        message: `the engine process died: ${answer.reason}`,
      })
      return
    }
    member.job = undefined
    this.deliver(job, answer.reply)
    if (answer.reply.spent || wornOut(answer.reply.residentBytes, job.limits.memoryBytes)) {
      this.replace(member, undefined)
    }
    this.dispatch()
  }

  private deliver(job: Job, reply: Reply): void {
    if (reply.body.kind === 'unavailable') job.reject(this.unavailable(reply.body.message))
    else job.resolve(reply.body)
  }

  /** Ends a child and starts a fresh one in its place, warm before it is needed. */
  private replace(member: Member, outcome: Killed | undefined): void {
    this.end(member, outcome)
    if (this.members.size === 0) void this.addMember()
    this.dispatch()
  }

  private end(member: Member, outcome: Killed | undefined): void {
    const job = member.job
    member.job = undefined
    this.members.delete(member)
    member.process.kill()
    const ended = member.process.ended.then(() => {
      this.ending.delete(ended)
    })
    this.ending.add(ended)
    if (job !== undefined && outcome !== undefined) job.resolve(outcome)
  }

  /** Looks at running queries as long as there are any. */
  private keepWatch(): void {
    const working = this.queue.length > 0 || [...this.members].some((member) => member.job !== undefined)
    if (working && this.watch === undefined && !this.closed)
      this.watch = setInterval(() => this.look(), watchMs)
    if (!working) {
      clearInterval(this.watch)
      this.watch = undefined
    }
  }

  private look(): void {
    const now = performance.now()
    for (const member of [...this.members]) {
      if (member.job === undefined) continue
      const { limits } = member.job
      const found = overrun(now - member.startedAt, member.process.residentBytes(), limits)
      if (found === 'deadline' && !member.late) member.late = true
      else if (found !== undefined) this.replace(member, killed(found, limits))
    }
    const running = [...this.members].map((member) => (member.job === undefined ? 0 : now - member.startedAt))
    if (shouldGrow(this.queue.length, running, this.most)) void this.addMember()
    this.keepWatch()
  }

  private unavailable(problem: string): AutotestError {
    return new AutotestError('engine_unavailable', `${this.options.name}: ${problem}`, {
      hint: 'Check the database file and who else has it open, then run again.',
    })
  }
}

function isNoExplain({ request }: Job): boolean {
  return request.kind !== 'explain'
}

function startFailure(answer: Answer): string {
  if (answer.kind === 'died') return `the engine process does not start: ${answer.reason}`
  return answer.reply.body.kind === 'unavailable'
    ? answer.reply.body.message
    : 'the engine process does not start'
}

function killed(limit: Overrun, limits: Limits): Killed {
  const message =
    limit === 'deadline'
      ? `stopped at its deadline of ${limits.timeoutMs / 1000} s`
      : `stopped at its memory limit of ${Math.round(limits.memoryBytes / 1e6)} MB`
  return { kind: 'killed', limit, message }
}
