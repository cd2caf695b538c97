import { setTimeout as pause } from 'node:timers/promises'
import type { Client, FieldDef, QueryArrayResult } from 'pg'
import type { QueryOutcome } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import { RowCollector } from '../../query/row-collector.js'
import type { IdleConnections } from '../idle-connections.js'
import type { QueryCaps } from '../protocol.js'
import { RequestClock } from '../request-clock.js'
import { runOnConnection } from '../run-on-connection.js'
import { codeOf, placeOf } from '../server-connection.js'
import { ServerFault, type ServerSettings } from '../server-protocol.js'
import { cut, requestCancel } from './connection.js'
import { type ServerType, toValue } from './convert-value.js'
import { outcomeOf } from './outcome-of-error.js'
import { refusalByFunction, volatileFunctionsQuery } from './refused-functions.js'

export interface StatementContext {
  readonly settings: ServerSettings
  readonly connect: (clock: RequestClock) => Promise<Client>
  readonly connections: IdleConnections<Client>
  /** 150018 for 15.18. */
  readonly version: number
  readonly types: Map<number, ServerType>
  /** Reads the types again: one may have been created since. */
  readonly reloadTypes: () => Promise<void>
}

const keywords = ['SELECT', 'WITH', 'VALUES', 'TABLE']

/** Bytes that one round trip should bring: few round trips, and no more than this beyond a cap. */
const batchBytes = 2_000_000
const firstBatch = 200
const largestBatch = 20_000

/** The session is that of nobody's settings: values are exact, and their texts the same on every server. */
const settings = [
  "TimeZone = 'UTC'",
  "DateStyle = 'ISO, YMD'",
  "IntervalStyle = 'postgres'",
  'extra_float_digits = 1',
  "bytea_output = 'hex'",
  "lc_monetary = 'C'",
  // Texts are read as they are judged.
  'standard_conforming_strings = on',
  'cursor_tuple_fraction = 1',
]

/** To be sent with BEGIN. */
export const sessionSettings = settings.map((each) => `SET LOCAL ${each};`).join(' ')

/** Ends a statement whose client is gone (PostgreSQL 14 and later). */
const noticeLostClient = "client_connection_check_interval = '1s'"

/** Part of the deadline that a lock of another session may take; the server says so before the deadline does. */
const lockShare = 0.9
/** The server ends by itself what cannot be cancelled, so long after the deadline, in milliseconds. */
const serverLimitMs = 1000
/** How long a statement may take to end before it is cancelled in another way, in milliseconds. */
const secondCancelMs = 200

/**
 * Runs one statement in a transaction that only reads; without caps it is planned and not executed. A cursor is declared for
 * it by the extended protocol, which takes a single statement, and only one that reads: what the text contains cannot end
 * the transaction. To declare it takes the locks of its tables, for which it may wait; what it does then is its own time, and
 * so are the locks that its functions take.
 */
export async function runStatement(
  context: StatementContext,
  sql: string,
  caps: Pick<QueryCaps, 'rows' | 'bytes'> | undefined,
  clock: RequestClock,
): Promise<QueryOutcome> {
  const refusal = refusalOf(sql)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const { settings } = context
  const place = placeOf(settings)
  let pid: number | undefined
  return runOnConnection<Client>(
    {
      place,
      connect: context.connections.take,
      giveBack: context.connections.giveBack,
      async read(client) {
        // The server does nothing: only the network, or a pooler that has no connection left, takes time.
        clock.waitFor(`an answer of ${place}`)
        pid = await begin(client, context, clock, sql)
        clock.run()
        const prefix = 'DECLARE autotest NO SCROLL CURSOR FOR '
        await client.query({ text: `${prefix}${sql}`, ...extended }).catch((error: unknown) => {
          throw codeOf(error) === '55P03' ? lockFault(error, sql, prefix.length, clock) : error
        })
        clock.countRunAsWait()
        return fetchRows(context, client, caps)
      },
      async cancel(client, within, ended) {
        await requestCancel(client, settings, within)
        const hasEnded = await Promise.race([ended.then(() => true), pause(secondCancelMs, false)])
        // A proxy may have dropped the message.
        if (!hasEnded) void cancelByFunction(context, pid)
        return true
      },
      cut,
      end: (client) => client.end(),
      outcomeOf: async (error, client) =>
        error instanceof RefusedFunction
          ? { kind: 'refused', message: error.message }
          : outcomeOf(error, client),
    },
    clock,
  )
}

/** Never throws. */
async function cancelByFunction({ connect }: StatementContext, pid: number | undefined): Promise<void> {
  const clock = new RequestClock(serverLimitMs)
  try {
    const other = await connect(clock)
    clock.stop()
    await other.query('SELECT pg_cancel_backend($1)', [pid])
    await other.end()
  } catch {
    // The server's own limit ends it.
  }
}

/** Says for whose table a query waited: the server names its position, or nothing. */
function lockFault(error: unknown, sql: string, offset: number, { timeoutMs }: RequestClock): ServerFault {
  const { position } = error as { readonly position?: string }
  const at = Number(position ?? 0) - 1 - offset
  const table = at < 0 ? undefined : /^(?:"[^"]*"|[\p{L}\p{N}_$.])+/u.exec([...sql].slice(at).join(''))?.[0]
  const whose = table === undefined ? 'a table' : table
  return new ServerFault(
    `waited up to ${timeoutMs / 1000} s for a lock on ${whose}, which another session holds`,
    {
      hint: 'A migration or maintenance may hold it (pg_locks names the session): run again when it is done, or raise `limits.query_timeout`.',
      kind: 'busy',
      cause: error,
    },
  )
}

/** Returns why a statement may not be run; undefined if it may. */
export function refusalOf(sql: string): string | undefined {
  return refusalByLeadingKeyword(sql, keywords, 'postgres') ?? refusalByFunction(sql)
}

/** Begins a transaction that only reads, and returns the process of the server that has it. */
async function begin(
  client: Client,
  { version, settings: { allowFunctions = [] } }: StatementContext,
  clock: RequestClock,
  sql: string,
): Promise<number | undefined> {
  const { timeoutMs, waitLeftMs } = clock
  const limits = [
    `lock_timeout = ${Math.max(1, Math.floor(Math.min(waitLeftMs, lockShare * timeoutMs)))}`,
    ...(version >= 140_000 ? [noticeLostClient] : []),
  ]
  const local = `${sessionSettings} ${limits.map((each) => `SET LOCAL ${each};`).join(' ')}`
  // Together, so that a pooler in transaction mode keeps them together.
  const begun = (await client.query(
    `BEGIN READ ONLY; ${local} SELECT pg_backend_pid() AS pid, ${volatileFunctionsQuery(sql, allowFunctions)} AS volatile,
      ${serverLimit(timeoutMs + serverLimitMs)}`,
  )) as unknown as readonly { readonly rows: readonly BegunRow[] }[]
  const { pid, volatile = null } = begun.at(-1)?.rows[0] ?? {}
  if (volatile !== null) throw new RefusedFunction(volatile)
  return pid
}

interface BegunRow {
  readonly pid?: number
  readonly volatile?: string | null
}

/** The statement calls functions that may do more than to read. */
class RefusedFunction extends Error {
  constructor(names: string) {
    super(
      `it calls ${names}, which is volatile: it may do more than to read the data (a function that only reads is declared STABLE, or listed in allow_functions)`,
    )
    this.name = 'RefusedFunction'
  }
}

/** Sets a limit on the server, unless the role has a lower one. */
function serverLimit(ms: number): string {
  const limit = Math.ceil(ms)
  return `CASE WHEN current_setting('statement_timeout')::interval NOT BETWEEN '1us' AND '${limit}ms'
    THEN set_config('statement_timeout', '${limit}', true) END`
}

/** Keeps a text that holds several statements from being run. */
export const extended = { queryMode: 'extended' } as const

/** Every cell as the server writes it. */
const asText = { getTypeParser: () => (text: string) => text }

async function fetchRows(
  context: StatementContext,
  client: Client,
  caps: Pick<QueryCaps, 'rows' | 'bytes'> | undefined,
) {
  const fetch = (count: number): Promise<QueryArrayResult<(string | null)[]>> =>
    client.query({ text: `FETCH FORWARD ${count} FROM autotest`, rowMode: 'array', types: asText as never })
  const first = await fetch(caps === undefined ? 0 : Math.min(firstBatch, caps.rows + 1))
  const { fields } = first
  if (fields.some(({ dataTypeID }) => !context.types.has(dataTypeID))) await context.reloadTypes()
  const collector = new RowCollector(
    fields.map((field) => columnOf(field, context.types)),
    caps ?? { rows: 0, bytes: 0 },
  )
  let batch = first
  let asked = firstBatch
  let kept = 0
  while (caps !== undefined) {
    let bytes = 0
    for (const row of batch.rows) {
      const values = row.map((cell, at) => {
        bytes += cell === null ? 1 : cell.length
        const type = fields[at]?.dataTypeID ?? 0
        return toValue(cell, type, context.types.get(type))
      })
      if (!collector.add(values)) return collector.result()
    }
    if (batch.rows.length < Math.min(asked, caps.rows + 1 - kept)) break
    kept += batch.rows.length
    const rowBytes = Math.max(1, bytes / Math.max(1, batch.rows.length))
    asked = Math.max(1, Math.min(largestBatch, Math.floor(batchBytes / rowBytes)))
    batch = await fetch(Math.min(asked, caps.rows + 1 - kept))
  }
  return collector.result()
}

function columnOf({ name, dataTypeID }: FieldDef, types: ReadonlyMap<number, ServerType>) {
  return { name, type: types.get(dataTypeID)?.name ?? '' }
}
