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
  /**
   * Two jobs were in a child that died or grew too large, and either may be the cause: this one runs alone.
   */
  suspect: boolean
}

/** A job sent to a child. */
export interface AssignedJob {
  readonly job: Job
  /** False once another child has the job: the reply is ignored. */
  wanted: boolean
}

/**
 * A child with the job that it runs and at most one queued in its pipe, so that it does not idle while this
 * process scores. Only after a short job, and only for reading jobs: a queued job has not begun and can be
 * reclaimed.
 */
export class PoolMember {
  readonly process: EngineProcess
  ready = false
  /**
   * It seemed late once; a reply may be in the pipe while the parent is busy, so it is checked a second time.
   */
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

  /** Returns how long the current job has run, in milliseconds; 0 if there is none. */
  runningMs(now: number): number {
    return this.running === undefined ? 0 : now - this.startedAt
  }

  /** Reports whether the job can be queued in the pipe after the current one. */
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

  /** Handles the reply to the current job. */
  finish(now: number): void {
    this.lastMs = this.runningMs(now)
    this.given.shift()
    this.begin(now)
  }

  /** Removes and returns the queued job, for another child. */
  reclaimWaiting(): Job | undefined {
    const { waiting } = this
    if (waiting?.wanted !== true) return undefined
    waiting.wanted = false
    return waiting.job
  }

  /** Removes and returns all unanswered jobs, in order. */
  clear(): AssignedJob[] {
    return this.given.splice(0)
  }

  private begin(now: number): void {
    this.startedAt = now
    this.late = false
  }
}
