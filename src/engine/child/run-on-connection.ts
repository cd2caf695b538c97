import type { QueryOutcome, ResultSet } from '../contract/engine.js'

/** How long a server may take to end a cancelled statement before its connection is cut, in milliseconds. */
const cancelMs = 700

/** What differs between drivers. */
export interface StatementOnConnection<Connection> {
  readonly connect: (signal: AbortSignal) => Promise<Connection>
  /** Begins the transaction and reads the rows; `cancel` ends the statement early. */
  readonly read: (connection: Connection, cancel: () => void) => Promise<ResultSet>
  /** Ends the statement on the server, from another connection. */
  readonly cancel: (connection: Connection, signal: AbortSignal) => Promise<void>
  /** Ends the connection, waiting for nothing. */
  readonly cut: (connection: Connection) => void
  readonly end: (connection: Connection) => Promise<void>
  /** Takes back a connection whose statement ended by itself; never throws. */
  readonly giveBack: (connection: Connection) => Promise<void>
  /** Returns the outcome of an error that the statement caused; throws one of the server. */
  readonly outcomeOf: (error: unknown) => QueryOutcome
}

/**
 * Runs a statement in a connection that nothing else uses meanwhile, cancels it when `signal` is aborted, and settles when it has ended on the
 * server or its connection is cut.
 */
export async function runOnConnection<Connection>(
  { connect, read, cancel, cut, end, giveBack, outcomeOf }: StatementOnConnection<Connection>,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const started = performance.now()
  const connection = await connect(signal)
  let cancelled: Promise<void> | undefined
  // A fault of the server, or of the connection.
  let isBroken = true
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    timer ??= setTimeout(() => cut(connection), cancelMs)
    // Where it cannot be cancelled its connection is cut, which the server notices.
    cancelled = cancel(connection, AbortSignal.timeout(cancelMs)).catch(() => undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) throw new Error('the deadline has passed')
    const result = await read(connection, stop)
    isBroken = false
    // A function that waits returns as if nothing had happened when it is cancelled.
    if (signal.aborted) throw new Error('the deadline has passed')
    return { kind: 'rows', result, ms: performance.now() - started }
  } catch (error) {
    if (signal.aborted) throw error
    const outcome = outcomeOf(error)
    isBroken = false
    return outcome
  } finally {
    signal.removeEventListener('abort', stop)
    await cancelled
    // What cancels a statement might reach the next one.
    if (isBroken || cancelled !== undefined) await end(connection).catch(() => undefined)
    else await giveBack(connection)
    clearTimeout(timer)
  }
}
