import { setTimeout as pause } from 'node:timers/promises'
import type { QueryOutcome, ResultSet } from '../contract/engine.js'
import type { RequestClock } from './request-clock.js'
import { ServerFault } from './server-protocol.js'

/** How long a server may take to end a cancelled statement before its connection is cut, in milliseconds. */
const cancelMs = 700
/** How long nothing may be heard of a server, not even that it cancels, before the network is taken to be silent, in milliseconds. */
const silentMs = 3000

/** What differs between drivers. */
export interface StatementOnConnection<Connection> {
  /** The server, for messages. */
  readonly place: string
  readonly connect: (clock: RequestClock) => Promise<Connection>
  /** Begins the transaction and reads the rows; `cancel` ends the statement early. It tells the clock when it runs. */
  readonly read: (connection: Connection, cancel: () => void) => Promise<ResultSet>
  /**
   * Ends the statement on the server, without its connection; returns whether the server has answered, whatever it said.
   * `ended` is resolved when the statement has ended.
   */
  readonly cancel: (connection: Connection, signal: AbortSignal, ended: Promise<void>) => Promise<boolean>
  /** Ends the connection, waiting for nothing. */
  readonly cut: (connection: Connection) => void
  readonly end: (connection: Connection) => Promise<void>
  /** Takes back a connection whose statement ended by itself; never throws. */
  readonly giveBack: (connection: Connection) => Promise<void>
  /** Returns the outcome of an error that the statement caused; throws one of the server. */
  readonly outcomeOf: (error: unknown, connection: Connection) => Promise<QueryOutcome>
}

/**
 * Runs a statement in a connection that nothing else uses meanwhile, cancels it when its clock is at an end, and settles when it has ended on the
 * server or its connection is cut.
 */
export async function runOnConnection<Connection>(
  { place, connect, read, cancel, cut, end, giveBack, outcomeOf }: StatementOnConnection<Connection>,
  clock: RequestClock,
): Promise<QueryOutcome> {
  const { signal } = clock
  const started = performance.now()
  clock.waitFor('a connection')
  const connection = await connect(clock)
  let cancelled: Promise<void> | undefined
  // A fault of the server, or of the connection.
  let isBroken = true
  let isSilent = false
  let hasEnded: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve
  })
  // A driver may not notice that its connection is gone where nothing is heard of the server.
  let hasBeenCut: (error: Error) => void = () => undefined
  const beingCut = new Promise<never>((_resolve, reject) => {
    hasBeenCut = reject
  })
  beingCut.catch(() => undefined)
  const cutOff = (): void => {
    cut(connection)
    hasBeenCut(new Error('the connection was cut'))
  }
  const endEarly = async (): Promise<void> => {
    // What waits has nothing on the server that could be cancelled.
    if (clock.waitingFor !== undefined) return cutOff()
    const within = AbortSignal.timeout(silentMs)
    const silence = pause(silentMs, false)
    const answered = cancel(connection, within, ended).catch(() => false)
    const isAlive = await Promise.race([
      ended.then(() => true),
      answered.then((isAnswer) => isAnswer || silence),
      silence,
    ])
    if (isAlive) await Promise.race([ended, pause(cancelMs)])
    else isSilent = true
    cutOff()
  }
  const stop = (): void => {
    cancelled ??= endEarly()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) throw new Error('the deadline has passed')
    const result = await Promise.race([read(connection, stop), beingCut])
    isBroken = false
    // A function that waits returns as if nothing had happened when it is cancelled.
    if (signal.aborted) throw new Error('the deadline has passed')
    return { kind: 'rows', result, ms: performance.now() - started }
  } catch (error) {
    if (signal.aborted) {
      if (isSilent)
        throw new ServerFault(`waited ${clock.timeoutMs / 1000} s for an answer of ${place}`, {
          kind: 'busy',
          cause: error,
        })
      throw error
    }
    const outcome = await outcomeOf(error, connection)
    isBroken = false
    return outcome
  } finally {
    hasEnded()
    signal.removeEventListener('abort', stop)
    await cancelled
    // What cancels a statement might reach the next one.
    if (isBroken || cancelled !== undefined)
      await Promise.race([end(connection), pause(cancelMs)]).catch(() => undefined)
    else await giveBack(connection)
  }
}
