import type { Column, QueryOutcome, Value } from '../../contract/engine.js'
import { RowCollector } from '../../query/row-collector.js'
import type { QueryCaps } from '../protocol.js'
import type { RequestClock } from '../request-clock.js'
import { ServerFault } from '../server-protocol.js'

/** How long a service may take to end a cancelled statement, in milliseconds. */
const cancelMs = 700
/** How long a service may not even answer that it cancels, before the network is taken to be silent, in milliseconds. */
const silentMs = 3000

export interface ServicePage {
  readonly rows: readonly (readonly Value[])[]
  /** The last one. */
  readonly isLast: boolean
  /** What the statement waits for before it begins, where the service says so; undefined while it runs. */
  readonly waitingFor?: string | undefined
}

/** A statement that runs on a service. */
export interface ServiceStatement {
  /** Waits for the columns; they are asked for after the first page. */
  readonly columns: () => readonly Column[]
  /** Returns the next page, possibly without rows. Throws `StatementFailure`, `ServerFault`. */
  readonly nextPage: (signal: AbortSignal) => Promise<ServicePage>
  readonly cancel: (signal: AbortSignal) => Promise<void>
  /** What the service has read so far, in bytes, where it says so. */
  readonly scannedBytes?: () => number | undefined
}

/** The statement has failed: an outcome and no fault of the service. */
export class StatementFailure extends Error {
  readonly outcome: QueryOutcome

  constructor(outcome: Exclude<QueryOutcome, { readonly kind: 'rows' }>) {
    super(outcome.message)
    this.name = 'StatementFailure'
    this.outcome = outcome
  }
}

/** Runs a statement and reads its pages up to the caps; whatever has not ended by itself is cancelled before this settles. */
export async function runOnService(
  start: (signal: AbortSignal) => Promise<ServiceStatement>,
  caps: Pick<QueryCaps, 'rows' | 'bytes'>,
  clock: RequestClock,
): Promise<QueryOutcome> {
  const { signal } = clock
  const started = performance.now()
  let statement: ServiceStatement | undefined
  let hasEnded = false
  try {
    // A statement whose number is not known cannot be cancelled: that reply is waited for, within bounds.
    statement = await start(withGrace(signal))
    clock.run()
    let collector: RowCollector | undefined
    for (;;) {
      signal.throwIfAborted()
      const page = await statement.nextPage(signal)
      hasEnded = page.isLast
      if (page.waitingFor !== undefined) clock.waitFor(page.waitingFor)
      else if (clock.waitingFor !== undefined) clock.run()
      if (page.rows.length > 0 || page.isLast) collector ??= new RowCollector(statement.columns(), caps)
      const isFull = page.rows.some((row) => collector?.add(row) === false)
      if (collector !== undefined && (isFull || page.isLast))
        return {
          kind: 'rows',
          result: collector.result(),
          ms: performance.now() - started,
          scannedBytes: statement.scannedBytes?.(),
        }
    }
  } catch (error) {
    if (error instanceof StatementFailure && !signal.aborted) {
      hasEnded = true
      return error.outcome
    }
    if (!hasEnded && statement !== undefined) {
      hasEnded = true
      // What cannot even be cancelled is not slow: nothing is heard of the service.
      if (!(await isCancelled(statement)) && signal.aborted && clock.waitingFor === undefined)
        throw new ServerFault(`waited ${clock.timeoutMs / 1000} s for an answer of the service`, {
          kind: 'busy',
          cause: error,
        })
    }
    throw error
  } finally {
    if (!hasEnded && statement !== undefined) await isCancelled(statement)
  }
}

/** Cancels a statement; returns whether the service has answered, whatever it said. */
async function isCancelled(statement: ServiceStatement): Promise<boolean> {
  const within = AbortSignal.timeout(silentMs)
  return statement.cancel(within).then(
    () => true,
    () => !within.aborted,
  )
}

/** Returns a signal that is aborted a moment after another one. */
function withGrace(signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  const abort = (): void => void setTimeout(() => later.abort(signal.reason), cancelMs).unref()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return later.signal
}
