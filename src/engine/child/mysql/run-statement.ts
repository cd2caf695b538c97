import type { Connection, FieldPacket } from 'mysql2/promise'
import { messageOf } from '../../../errors.js'
import type { Column, QueryOutcome, ResultSet } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import { RowCollector } from '../../query/row-collector.js'
import type { IdleConnections } from '../idle-connections.js'
import type { QueryCaps } from '../protocol.js'
import { runOnConnection } from '../run-on-connection.js'
import { codeOf } from '../server-connection.js'
import { ServerFault } from '../server-protocol.js'
import { toValue, types } from './convert-value.js'
import { refusalByText, withoutTerminator } from './statement-text.js'

export interface StatementContext {
  readonly connect: (signal: AbortSignal) => Promise<Connection>
  readonly connections: IdleConnections<Connection>
  readonly isMariaDb: boolean
}

const leading = { keywords: ['SELECT', 'WITH', 'VALUES', 'TABLE'], nestedComments: false }

/** The server's own limit is above the deadline: it ends what a lost client left behind, in seconds. */
const serverLimitSeconds = 3600

/**
 * Runs one statement in a transaction of its own, which only reads, of a connection that is new or reset; without caps it is
 * only prepared.
 */
export async function runStatement(
  context: StatementContext,
  sql: string,
  caps: Pick<QueryCaps, 'rows' | 'bytes'> | undefined,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const refusal = refusalOf(sql)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const statement = withoutTerminator(sql)
  return runOnConnection<Connection>(
    {
      connect: context.connections.take,
      giveBack: context.connections.giveBack,
      async read(connection, cancel) {
        await connection.query(sessionSettings(context))
        await connection.query('START TRANSACTION READ ONLY')
        return caps === undefined
          ? preparedColumns(connection, statement)
          : collectRows(connection, statement, caps, cancel)
      },
      async cancel({ threadId }, within) {
        const other = await context.connect(within)
        await other.query(`KILL QUERY ${Number(threadId)}`)
        await other.end()
      },
      cut: (connection) => connection.destroy(),
      end: (connection) => connection.end(),
      outcomeOf,
    },
    signal,
  )
}

/** Returns why a statement may not be run; undefined if it may. */
export function refusalOf(sql: string): string | undefined {
  return refusalByLeadingKeyword(sql, leading) ?? refusalByText(sql)
}

function sessionSettings({ isMariaDb }: StatementContext): string {
  const limit = isMariaDb
    ? `max_statement_time = ${serverLimitSeconds}`
    : `max_execution_time = ${serverLimitSeconds * 1000}`
  return `SET time_zone = '+00:00', ${limit}`
}

/** The protocol of prepared statements tells columns without running. */
async function preparedColumns(connection: Connection, sql: string): Promise<ResultSet> {
  const prepared = (await connection.prepare(sql)) as unknown as {
    readonly statement: { readonly columns: readonly FieldPacket[] }
  }
  return { columns: prepared.statement.columns.map(columnOf), rows: [], cut: null }
}

function columnOf({ name, columnType }: FieldPacket): Column {
  return { name, type: types[columnType ?? -1] ?? '' }
}

/** Reads rows as they come, and has the rest ended at a cap. */
function collectRows(
  connection: Connection,
  sql: string,
  caps: Pick<QueryCaps, 'rows' | 'bytes'>,
  cancel: () => void,
) {
  return new Promise<ResultSet>((resolve, reject) => {
    let fields: readonly FieldPacket[] = []
    let collector = new RowCollector([], caps)
    let isFull = false
    // What the promises wrap, which tells rows as they come.
    const { connection: core } = connection as unknown as {
      readonly connection: NodeJS.EventEmitter & { query(options: object): NodeJS.EventEmitter }
    }
    const query = core.query({ sql, rowsAsArray: true, typeCast: false })
    // A connection that ends tells it nobody else.
    core.once('error', reject)
    query.on('fields', (found: readonly FieldPacket[]) => {
      fields = found
      collector = new RowCollector(found.map(columnOf), caps)
    })
    query.on('result', (row: readonly (Buffer | null)[]) => {
      if (isFull || !Array.isArray(row)) return
      isFull = !collector.add(row.map((cell, at) => toValue(cell, fields[at] ?? {})))
      if (isFull) cancel()
    })
    query.on('error', (error: Error) => (isFull ? resolve(collector.result()) : reject(error)))
    query.on('end', () => resolve(collector.result()))
  })
}

const readOnly = new Set(['ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', 'ER_OPTION_PREVENTS_STATEMENT'])
const memory = new Set([
  'ER_OUTOFMEMORY',
  'ER_OUT_OF_SORTMEMORY',
  'ER_OUT_OF_RESOURCES',
  'ER_CAPACITY_EXCEEDED',
])
const timeouts = new Set(['ER_QUERY_TIMEOUT', 'ER_STATEMENT_TIMEOUT'])
/** The server ends sessions, or is ended, or somebody else has a lock. */
const lost = new Set([
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_LOCK_DEADLOCK',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_NORMAL_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
])

/** Returns the outcome of an error that the statement caused; throws one of the server. */
function outcomeOf(error: unknown): QueryOutcome {
  const message = messageOf(error).replaceAll(/\s+/g, ' ')
  const code = codeOf(error)
  if (readOnly.has(code)) return { kind: 'refused', message }
  if (memory.has(code)) return { kind: 'killed', limit: 'memory', message }
  if (timeouts.has(code)) return { kind: 'killed', limit: 'deadline', message }
  if (code.startsWith('ER_') && !lost.has(code)) return { kind: 'failed', message }
  throw new ServerFault(code.startsWith('ER_') ? message : `the connection was lost: ${message}`, {
    cause: error,
  })
}
