import type { RequestClock } from './request-clock.js'

/** What differs between drivers. */
export interface ConnectionPoolParts<Connection> {
  readonly open: (clock: RequestClock) => Promise<Connection>
  /** Makes a connection as if it were new; throws where it cannot. */
  readonly reset: (connection: Connection) => Promise<void>
  readonly end: (connection: Connection) => Promise<void>
  /** Calls `onLost` when the connection breaks or the server ends it. */
  readonly watch: (connection: Connection, onLost: () => void) => void
}

/** Opens connections, and hands out again those that were given back a moment ago. */
export interface IdleConnections<Connection> {
  take(clock: RequestClock): Promise<Connection>
  /** Never throws; the connection is ended where it cannot be used again. */
  giveBack(connection: Connection): Promise<void>
  /** Ends those that nobody uses; never throws. */
  endIdle(): Promise<void>
}

/** A connection that nobody takes is ended, in milliseconds: one that is left open counts against the limits of others. */
const idleMs = 200
/** A connection that is not reset by then is ended, in milliseconds. */
const resetMs = 700

/** To open a connection takes longer than many a query. */
export function idleConnections<Connection extends object>({
  open,
  reset,
  end,
  watch,
}: ConnectionPoolParts<Connection>): IdleConnections<Connection> {
  const idle = new Map<Connection, NodeJS.Timeout>()
  const lost = new WeakSet<Connection>()
  const discard = async (connection: Connection): Promise<void> => {
    clearTimeout(idle.get(connection))
    idle.delete(connection)
    await end(connection).catch(() => undefined)
  }
  return {
    async take(clock) {
      const [connection] = [...idle.keys()].slice(-1)
      if (connection !== undefined) {
        clearTimeout(idle.get(connection))
        idle.delete(connection)
        return connection
      }
      const opened = await open(clock)
      watch(opened, () => {
        lost.add(opened)
        if (idle.has(opened)) void discard(opened)
      })
      return opened
    },
    async giveBack(connection) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, resetMs, false)
      })
      const isReset = await Promise.race([
        reset(connection).then(
          () => true,
          () => false,
        ),
        late,
      ])
      clearTimeout(timer)
      // Nobody waits for a connection that may be broken.
      if (!isReset || lost.has(connection)) void discard(connection)
      else
        idle.set(
          connection,
          setTimeout(() => void discard(connection), idleMs),
        )
    },
    endIdle: async () => void (await Promise.all([...idle.keys()].map(discard))),
  }
}
