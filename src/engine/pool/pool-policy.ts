import type { Request } from '../child/protocol.js'
import type { QueryLimits } from '../contract/engine.js'

export type ExceededLimit = 'deadline' | 'memory'

/** When a query has waited this long for running ones, in milliseconds, another process is started. */
const growAfterMs = 250

/** A child whose last job took no longer than this, in milliseconds, gets its next one in advance. */
const shortMs = 25

/**
 * The share of its memory limit at which a child is replaced between queries, so that the next has its full
 * share.
 */
const recycleShare = 0.75

/**
 * Returns the limit that a running query has exceeded; memory first, because it affects others. Unknown
 * memory never counts.
 */
export function exceededLimit(
  runningMs: number,
  residentBytes: number | undefined,
  limits: Pick<QueryLimits, 'timeoutMs' | 'memoryBytes'>,
): ExceededLimit | undefined {
  if (residentBytes !== undefined && residentBytes > limits.memoryBytes) return 'memory'
  return runningMs > limits.timeoutMs ? 'deadline' : undefined
}

/**
 * Reports whether one more process helps: a job waits, all children are busy, and each with a query that is
 * not short.
 */
export function shouldGrow(waiting: number, runningMs: readonly number[], most: number): boolean {
  return waiting > 0 && runningMs.length < most && runningMs.every((ms) => ms > growAfterMs)
}

/** Reports whether a child has kept so much memory that its next query could not use its own share. */
export function shouldRecycle(residentBytes: number, memoryBytes: number): boolean {
  return residentBytes > memoryBytes * recycleShare
}

interface Queued {
  readonly request: Request
  readonly suspect: boolean
}

/**
 * Reports whether a job may be queued in the pipe of a child that runs another: both only read, and jobs are
 * short.
 */
export function canPipeline(running: Queued, next: Queued, lastMs: number): boolean {
  const reads = ({ request, suspect }: Queued): boolean =>
    !suspect && (request.kind === 'query' || request.kind === 'explain')
  return lastMs <= shortMs && reads(running) && reads(next)
}
