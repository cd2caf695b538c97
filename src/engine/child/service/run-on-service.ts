import type { Column, QueryOutcome, Value } from '../../contract/engine.js'
import { RowCollector } from '../../query/row-collector.js'
import type { QueryCaps } from '../protocol.js'

/** How long a service may take to end a cancelled statement, in milliseconds. */
const cancelMs = 700

export interface ServicePage {
  readonly rows: readonly (readonly Value[])[]
  /** The last one. */
  readonly isLast: boolean
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
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const started = performance.now()
  let statement: ServiceStatement | undefined
  let hasEnded = false
  try {
    // A statement whose number is not known cannot be cancelled: that reply is waited for, within bounds.
    statement = await start(withGrace(signal))
    let collector: RowCollector | undefined
    for (;;) {
      signal.throwIfAborted()
      const page = await statement.nextPage(signal)
      hasEnded = page.isLast
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
    if (signal.aborted) throw error
    if (!(error instanceof StatementFailure)) throw error
    hasEnded = true
    return error.outcome
  } finally {
    if (!hasEnded) await statement?.cancel(AbortSignal.timeout(cancelMs)).catch(() => undefined)
  }
}

/** Returns a signal that is aborted a moment after another one. */
function withGrace(signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  const abort = (): void => void setTimeout(() => later.abort(signal.reason), cancelMs).unref()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return later.signal
}
