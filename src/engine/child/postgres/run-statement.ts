import type { Client, FieldDef, QueryArrayResult } from 'pg'
import { messageOf } from '../../../errors.js'
import type { QueryOutcome } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import { RowCollector } from '../../query/row-collector.js'
import type { IdleConnections } from '../idle-connections.js'
import type { QueryCaps } from '../protocol.js'
import { runOnConnection } from '../run-on-connection.js'
import { codeOf } from '../server-connection.js'
import { ServerFault } from '../server-protocol.js'
import { type ServerType, toValue } from './convert-value.js'
import { refusalByFunction } from './refused-functions.js'

export interface StatementContext {
  readonly connect: (signal: AbortSignal) => Promise<Client>
  readonly connections: IdleConnections<Client>
  /** 150018 for 15.18. */
  readonly version: number
  readonly types: Map<number, ServerType>
  /** Reads the types again: one may have been created since. */
  readonly reloadTypes: () => Promise<void>
}

const leading = { keywords: ['SELECT', 'WITH', 'VALUES', 'TABLE'], nestedComments: true }

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
  'cursor_tuple_fraction = 1',
  'lock_timeout = 5000',
]

/** To be sent with BEGIN. */
export const sessionSettings = settings.map((each) => `SET LOCAL ${each};`).join(' ')

/** Ends a statement whose client is gone (PostgreSQL 14 and later). */
const noticeLostClient = "client_connection_check_interval = '1s'"

/**
 * Runs one statement in a transaction that only reads; without caps it is planned and not executed. A cursor is declared for
 * it by the extended protocol, which takes a single statement, and only one that reads: what the text contains cannot end
 * the transaction.
 */
export async function runStatement(
  context: StatementContext,
  sql: string,
  caps: Pick<QueryCaps, 'rows' | 'bytes'> | undefined,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const refusal = refusalOf(sql)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  let pid: number | undefined
  return runOnConnection<Client>(
    {
      connect: context.connections.take,
      giveBack: context.connections.giveBack,
      async read(client) {
        pid = await begin(client, context)
        await client.query({ text: `DECLARE autotest NO SCROLL CURSOR FOR ${sql}`, ...extended })
        return fetchRows(context, client, caps)
      },
      async cancel(_client, within) {
        const other = await context.connect(within)
        await other.query('SELECT pg_cancel_backend($1)', [pid])
        await other.end()
      },
      cut: (client) => void client.end().catch(() => undefined),
      end: (client) => client.end(),
      outcomeOf,
    },
    signal,
  )
}

/** Returns why a statement may not be run; undefined if it may. */
export function refusalOf(sql: string): string | undefined {
  return refusalByLeadingKeyword(sql, leading) ?? refusalByFunction(sql)
}

/** Begins a transaction that only reads, and returns the process of the server that has it. */
async function begin(client: Client, { version }: StatementContext): Promise<number | undefined> {
  const local = version >= 140_000 ? `${sessionSettings} SET LOCAL ${noticeLostClient};` : sessionSettings
  // Together, so that a pooler in transaction mode keeps them together.
  const begun = (await client.query(
    `BEGIN READ ONLY; ${local} SELECT pg_backend_pid() AS pid`,
  )) as unknown as readonly { readonly rows: readonly { readonly pid?: number }[] }[]
  return begun.at(-1)?.rows[0]?.pid
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

/** Returns the outcome of an error that the statement caused; throws one of the server. */
function outcomeOf(error: unknown): QueryOutcome {
  const message = messageOf(error).replaceAll(/\s+/g, ' ')
  const code = codeOf(error)
  if (/cannot insert multiple commands/.test(message))
    return { kind: 'refused', message: 'only a single SELECT statement is allowed' }
  // It would write, lock rows, or store its result.
  if (code === '25006' || /^DECLARE .*(?:must not|cannot)|\bINTO is not allowed/i.test(message))
    return { kind: 'refused', message }
  if (code === '53200') return { kind: 'killed', limit: 'memory', message }
  // A limit that the role has.
  if (code === '57014' && /timeout/.test(message)) return { kind: 'killed', limit: 'deadline', message }
  // Syntax and rights, data, cardinality, features, limits of the program are its own; a lock that somebody else has is not.
  if (code !== '55P03' && /^(?:0A|21|22|24|2F|34|38|39|42|54|55|P0)/.test(code))
    return { kind: 'failed', message }
  if (code === '40001' && /recovery/.test(message))
    throw new ServerFault(`the replica cancelled the query: ${message}`, {
      hint: 'Ask the primary, or raise max_standby_streaming_delay of the replica.',
      cause: error,
    })
  throw new ServerFault(
    code === '' || /^E[A-Z]+$/.test(code) ? `the connection was lost: ${message}` : message,
    { cause: error },
  )
}
