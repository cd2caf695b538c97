import type { Request } from '../child/protocol.js'
import type { QueryLimits } from '../contract/engine.js'

export type ExceededLimit = 'deadline' | 'memory'

/** A query that has waited this long behind running ones earns another process, in milliseconds. */
const growAfterMs = 250

/** Whoever took no longer for its last job than this, in milliseconds, is given the next before it asks. */
const shortMs = 25

/** The share of its memory limit at which a child is replaced between queries, so that the next starts fair. */
const recycleShare = 0.75

/** Which limit a running query has passed; memory first, because it harms others. Unknown memory never counts. */
export function exceededLimit(
  runningMs: number,
  residentBytes: number | undefined,
  limits: Pick<QueryLimits, 'timeoutMs' | 'memoryBytes'>,
): ExceededLimit | undefined {
  if (residentBytes !== undefined && residentBytes > limits.memoryBytes) return 'memory'
  return runningMs > limits.timeoutMs ? 'deadline' : undefined
}

/** Whether one more process helps: something waits, all are busy, and each with a query that is not short. */
export function shouldGrow(waiting: number, runningMs: readonly number[], most: number): boolean {
  return waiting > 0 && runningMs.length < most && runningMs.every((ms) => ms > growAfterMs)
}

/** Whether a child has kept so much memory that its next query could not use its own share. */
export function shouldRecycle(residentBytes: number, memoryBytes: number): boolean {
  return residentBytes > memoryBytes * recycleShare
}

interface Queued {
  readonly request: Request
  readonly suspect: boolean
}

/** Whether a job may wait in the pipe of a child that runs another: both only read, and jobs are short. */
export function canPipeline(running: Queued, next: Queued, lastMs: number): boolean {
  const reads = ({ request, suspect }: Queued): boolean =>
    !suspect && (request.kind === 'query' || request.kind === 'explain')
  return lastMs <= shortMs && reads(running) && reads(next)
}
