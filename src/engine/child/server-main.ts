import { messageOf } from '../../errors.js'
import type { QueryOutcome } from '../contract/engine.js'
import { packOutcome } from './packed-outcome.js'
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

/** How long what runs on the server may take to end when the parent closes or is gone, in milliseconds. */
const closeMs = 1000

let session: ServerSession | undefined
const running = new Map<AbortController, Promise<unknown>>()

async function answer(
  driver: ServerDriver<never>,
  request: ServerRequest,
  signal: AbortSignal,
): Promise<ServerReplyBody> {
  if (request.kind === 'connect') {
    session = await driver.connect(request.settings as never, signal)
    return { kind: 'connected', notes: session.notes }
  }
  if (session === undefined) throw new Error(`"${request.kind}" before "connect"`)
  switch (request.kind) {
    case 'query':
      return { kind: 'outcome', outcome: packOutcome(await session.query(request.sql, request, signal)) }
    case 'explain':
      return { kind: 'outcome', outcome: await session.explain(request.sql, signal) }
    case 'catalogue':
      return { kind: 'catalogue', catalogue: await session.catalogue(signal) }
    case 'fingerprint':
      return { kind: 'fingerprint', text: await session.fingerprint(signal) }
    case 'scratch-tables':
      return { kind: 'names', names: await scratchOf(session).tables(signal) }
    case 'create-scratch':
      await scratchOf(session).create(request, signal)
      return { kind: 'names', names: [request.name] }
    case 'drop-scratch':
      await scratchOf(session).drop(request.names, signal)
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
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), request.timeoutMs)
  const work = answer(driver, request, abort.signal).catch((error: unknown) =>
    failure(error, request, abort.signal),
  )
  running.set(abort, work)
  const body = await work
  clearTimeout(timer)
  running.delete(abort)
  const reply: ServerReply = { id, body }
  if (process.connected) process.send?.(reply)
}

/** Returns what an error means. After the deadline whatever went wrong is its consequence. */
function failure(error: unknown, request: ServerRequest, signal: AbortSignal): ServerReplyBody {
  const seconds = request.timeoutMs / 1000
  if (signal.aborted) {
    const message = `stopped at its deadline of ${seconds} s`
    if (request.kind !== 'query' && request.kind !== 'explain')
      return { kind: 'unavailable', message: `the server did not answer in ${seconds} s`, hint: undefined }
    const outcome: QueryOutcome = { kind: 'killed', limit: 'deadline', message }
    return { kind: 'outcome', outcome }
  }
  const hint = error instanceof ServerFault ? error.hint : undefined
  return { kind: 'unavailable', message: messageOf(error), hint }
}

/** Ends what runs on the server, and this process. */
async function end(): Promise<void> {
  for (const abort of running.keys()) abort.abort()
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
