import { messageOf } from '../../errors.js'
import { packOutcome } from './packed-outcome.js'
import { RequestClock } from './request-clock.js'
import {
  type ScratchTables,
  type ServerDriver,
  ServerFault,
  type ServerMessage,
  type ServerReply,
  type ServerReplyBody,
  type ServerRequest,
  type ServerSession,
} from './server-protocol.js'

/**
 * Entry point of a child that asks a server: `server-main.js SCHEME`. It waits for the server most of the time, so that it
 * runs many requests at once, each with its own deadline.
 */
const drivers: Readonly<Record<string, () => Promise<ServerDriver<never>>>> = {
  bigquery: async () => (await import('./bigquery/driver.js')).bigqueryDriver,
  databricks: async () => (await import('./databricks/driver.js')).databricksDriver,
  mysql: async () => (await import('./mysql/driver.js')).mysqlDriver,
  presto: async () => (await import('./trino/driver.js')).prestoDriver,
  postgres: async () => (await import('./postgres/driver.js')).postgresDriver,
  snowflake: async () => (await import('./snowflake/driver.js')).snowflakeDriver,
  trino: async () => (await import('./trino/driver.js')).trinoDriver,
}

const busyHint =
  'Others kept the server busy, and the query is not to blame: run again later, or raise `limits.query_timeout`.'

/** How long what runs on the server may take to end when the parent closes or is gone, in milliseconds. */
const closeMs = 1000

let session: ServerSession | undefined
const running = new Map<RequestClock, Promise<unknown>>()

async function answer(
  driver: ServerDriver<never>,
  request: ServerRequest,
  clock: RequestClock,
): Promise<ServerReplyBody> {
  if (request.kind === 'connect') {
    session = await driver.connect(request.settings as never, clock)
    return { kind: 'connected', notes: session.notes, rights: session.rights }
  }
  if (session === undefined) throw new Error(`"${request.kind}" before "connect"`)
  switch (request.kind) {
    case 'query':
      return { kind: 'outcome', outcome: packOutcome(await session.query(request.sql, request, clock)) }
    case 'explain':
      return { kind: 'outcome', outcome: await session.explain(request.sql, clock) }
    case 'catalogue':
      return { kind: 'catalogue', catalogue: await session.catalogue(clock) }
    case 'fingerprint':
      return { kind: 'fingerprint', text: await session.fingerprint(clock) }
    case 'scratch-tables':
      return { kind: 'names', names: await scratchOf(session).tables(clock) }
    case 'create-scratch':
      await scratchOf(session).create(request, clock)
      return { kind: 'names', names: [request.name] }
    case 'drop-scratch':
      await scratchOf(session).drop(request.names, clock)
      return { kind: 'names', names: request.names }
    case 'close':
      throw new Error('"close" has no answer')
  }
}

function scratchOf({ scratch }: ServerSession): ScratchTables {
  if (scratch === undefined) throw new Error('the address names no scratch schema')
  return scratch
}

async function serve(driver: ServerDriver<never>, { id, request }: ServerMessage): Promise<void> {
  if (request.kind === 'close') return end()
  const clock: RequestClock = new RequestClock(request.timeoutMs, () =>
    [...running.keys()].some((other) => other !== clock && other.waitingFor === undefined),
  )
  // It runs when there is a connection for it.
  clock.waitFor('the server')
  const work = answer(driver, request, clock).catch((error: unknown) => failure(error, request, clock))
  running.set(clock, work)
  const body = await work
  clock.stop()
  running.delete(clock)
  const reply: ServerReply = { id, body }
  if (process.connected) process.send?.(reply)
}

/** Returns what an error means. After the deadline whatever went wrong is its consequence. */
function failure(error: unknown, { kind, timeoutMs }: ServerRequest, clock: RequestClock): ServerReplyBody {
  const fault = error instanceof ServerFault ? error : undefined
  if (fault?.kind === 'no-slot') return { kind: 'no-slot', message: fault.message }
  const isStatement = kind === 'query' || kind === 'explain'
  if (!clock.signal.aborted || fault?.kind !== undefined) {
    const isBusy = fault?.kind === 'busy' || (fault?.kind === 'silent' && kind !== 'connect')
    return {
      kind: 'unavailable',
      message: messageOf(error),
      hint: fault?.hint ?? (isBusy ? busyHint : undefined),
      isBusy,
    }
  }
  const seconds = timeoutMs / 1000
  const { waitingFor } = clock
  if (waitingFor === undefined && isStatement) {
    const message = `stopped at its deadline of ${seconds} s`
    return { kind: 'outcome', outcome: { kind: 'killed', limit: 'deadline', message } }
  }
  // One of them may be what it waited for: that is the queue of this program.
  if (waitingFor !== undefined && clock.isSharing) return { kind: 'no-slot', message: waitingFor }
  return {
    kind: 'unavailable',
    message:
      waitingFor === undefined
        ? `the server did not answer in ${seconds} s`
        : `waited ${seconds} s for ${waitingFor}`,
    hint: busyHint,
    isBusy: true,
  }
}

/** Ends what runs on the server, and this process. */
async function end(): Promise<void> {
  for (const clock of running.keys()) clock.abort()
  setTimeout(() => process.exit(1), closeMs).unref()
  await Promise.allSettled(running.values())
  // A server counts a connection that is just gone as a fault.
  await session?.end?.()
  process.exit(0)
}

// A terminal sends Ctrl-C to the whole group; the parent decides when to stop.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => void end())

const load = drivers[process.argv[2] ?? '']
if (load === undefined) throw new Error(`no driver for engine "${process.argv[2] ?? ''}"`)
const driver = await load()
process.on('message', (message: ServerMessage) => void serve(driver, message))
