import type { ReplyBody, Request } from '../child/protocol.js'
import type { QueryLimits, QueryOutcome } from '../contract/engine.js'
import { EngineProcess } from './engine-process.js'
import { canPipeline } from './pool-policy.js'

export type Limits = Pick<QueryLimits, 'timeoutMs' | 'memoryBytes'>
export type KilledOutcome = Extract<QueryOutcome, { kind: 'killed' }>

export interface Job {
  readonly request: Request
  readonly limits: Limits
  readonly resolve: (body: ReplyBody | KilledOutcome) => void
  readonly reject: (error: Error) => void
  /** Two jobs were with a child that died or grew too large, and it is not known which caused it: this one runs alone. */
  suspect: boolean
}

/** Something given to a child. */
export interface AssignedJob {
  readonly job: Job
  /** False once another child has it: the reply is ignored. */
  wanted: boolean
}

/**
 * A child with the job that it runs and at most one that waits in its pipe, so that it does not idle while this
 * process scores. Only after a short job, and only for what reads: a waiting job has not begun and can be taken back.
 */
export class PoolMember {
  readonly process: EngineProcess
  ready = false
  /** It looked late once; a reply that waits in the pipe while the parent is busy gets a second look. */
  late = false
  private readonly given: AssignedJob[] = []
  private startedAt = 0
  private lastMs = Number.POSITIVE_INFINITY

  constructor(scheme: string) {
    this.process = new EngineProcess(scheme)
  }

  get running(): AssignedJob | undefined {
    return this.given[0]
  }

  get waiting(): AssignedJob | undefined {
    return this.given[1]
  }

  /** How long the running job has run, in milliseconds; 0 where none does. */
  runningMs(now: number): number {
    return this.running === undefined ? 0 : now - this.startedAt
  }

  /** Whether the job can wait in the pipe behind the one that runs. */
  canAccept(job: Job): boolean {
    const { running } = this
    if (!this.ready || running === undefined || this.waiting !== undefined) return false
    return canPipeline(running.job, job, this.lastMs)
  }

  assign(job: Job, now: number): AssignedJob {
    const given = { job, wanted: true }
    this.given.push(given)
    if (this.given.length === 1) this.begin(now)
    return given
  }

  /** The reply to the running job is here. */
  finish(now: number): void {
    this.lastMs = this.runningMs(now)
    this.given.shift()
    this.begin(now)
  }

  /** The job in the pipe, for another child. */
  reclaimWaiting(): Job | undefined {
    const { waiting } = this
    if (waiting?.wanted !== true) return undefined
    waiting.wanted = false
    return waiting.job
  }

  /** Everything that it was given and has not answered, in order; nothing is left. */
  clear(): AssignedJob[] {
    return this.given.splice(0)
  }

  private begin(now: number): void {
    this.startedAt = now
    this.late = false
  }
}
