import type { Connection, FieldPacket } from 'mysql2/promise'
import { readings, withoutTerminator } from '../../../sql-text/scan.js'
import { mysqlSyntax, type Syntax } from '../../../sql-text/syntax.js'
import type { Column, QueryOutcome, ResultSet } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import { RowCollector } from '../../query/row-collector.js'
import type { IdleConnections } from '../idle-connections.js'
import type { QueryCaps } from '../protocol.js'
import type { RequestClock } from '../request-clock.js'
import { runOnConnection } from '../run-on-connection.js'
import { codeOf, placeOf } from '../server-connection.js'
import type { ServerSettings } from '../server-protocol.js'
import { connectOnce, cut } from './connection.js'
import { toValue, types } from './convert-value.js'
import { isLockOfOthers, outcomeOf } from './outcome-of-error.js'
import { refusalByText } from './statement-text.js'
import { assertNoVolatileFunction, RefusedFunction } from './volatile-functions.js'

export interface StatementContext {
  readonly settings: ServerSettings
  readonly connect: (clock: RequestClock) => Promise<Connection>
  readonly connections: IdleConnections<Connection>
  readonly isMariaDb: boolean
  /** Of each session: texts are read by it, and judged by it. */
  readonly sqlMode: string
}

const keywords = ['SELECT', 'WITH', 'VALUES', 'TABLE']

/** The server ends by itself what cannot be cancelled, and what a lost client left behind, so long after the deadline, in milliseconds. */
const serverLimitMs = 300

/**
 * Runs one statement in a transaction of its own, which only reads, of a connection that is new or reset; without caps it is
 * only prepared. To be explained it takes the locks of its tables, for which it may wait; what it does then is its own time.
 */
export async function runStatement(
  context: StatementContext,
  sql: string,
  caps: Pick<QueryCaps, 'rows' | 'bytes'> | undefined,
  clock: RequestClock,
): Promise<QueryOutcome> {
  const { settings, sqlMode } = context
  const syntax = mysqlSyntax(sqlMode)
  const refusal = refusalOf(sql, syntax)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const statement = withoutTerminator(sql, syntax)
  const place = placeOf(settings)
  return runOnConnection<Connection>(
    {
      place,
      connect: context.connections.take,
      giveBack: context.connections.giveBack,
      async read(connection, cancel) {
        clock.waitFor(`an answer of ${place}`)
        await connection.query(sessionSettings(context, clock))
        await connection.query('START TRANSACTION READ ONLY')
        await assertNoVolatileFunction(connection, statement, syntax, settings.allowFunctions ?? [])
        // Seconds are whole for the server, which has to be the first to say that it waited for a lock.
        clock.run(lockWaitSeconds(clock) * 1000 + serverLimitMs - clock.timeoutMs)
        if (caps === undefined) return preparedColumns(connection, statement)
        await takeLocks(connection, statement)
        clock.countRunAsWait()
        return collectRows(connection, statement, caps, cancel)
      },
      cancel: (connection, within) => cancelOnServer(settings, connection, within),
      cut,
      end: (connection) => connection.end(),
      outcomeOf: async (error) =>
        error instanceof RefusedFunction
          ? { kind: 'refused', message: error.message }
          : outcomeOf(error, settings, clock),
    },
    clock,
  )
}

/** Ends what runs in a connection by another one; where the server has none left, its own limit does. */
async function cancelOnServer(
  settings: ServerSettings,
  { threadId }: Connection,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const other = await connectOnce(settings, signal)
    await other.query(`KILL QUERY ${Number(threadId)}`)
    await other.end()
    return true
  } catch (error) {
    // To say so it has answered.
    if (codeOf(error).startsWith('ER_')) return true
    throw error
  }
}

/** Returns why a statement may not be run; undefined if it may. */
export function refusalOf(sql: string, syntax: Syntax): string | undefined {
  return readings(sql, syntax)
    .map((each) => refusalByLeadingKeyword(each, keywords, syntax) ?? refusalByText(each, syntax))
    .find((refusal) => refusal !== undefined)
}

/** Locks are waited for in whole seconds. */
function sessionSettings({ isMariaDb, sqlMode }: StatementContext, clock: RequestClock): string {
  // A lock is waited for within it.
  const limitMs = lockWaitSeconds(clock) * 1000 + serverLimitMs
  const limit = isMariaDb ? `max_statement_time = ${limitMs / 1000}` : `max_execution_time = ${limitMs}`
  const lock = lockWaitSeconds(clock)
  return `SET time_zone = '+00:00', sql_mode = '${sqlMode}', ${limit}, lock_wait_timeout = ${lock}, innodb_lock_wait_timeout = ${lock}`
}

function lockWaitSeconds({ timeoutMs }: RequestClock): number {
  return Math.max(1, Math.ceil(timeoutMs / 1000))
}

/**
 * Waits for the locks of the tables of a statement, which the transaction keeps: to prepare it does not wait for all of them.
 * Throws nothing but that one of them was not to be had, or a fault of the connection.
 */
async function takeLocks(connection: Connection, sql: string): Promise<void> {
  try {
    await connection.query(`EXPLAIN ${sql}`)
  } catch (error) {
    // What cannot be explained can be run nevertheless, or says why not when it runs.
    if (isLockOfOthers(error) || !codeOf(error).startsWith('ER_')) throw error
  }
}

/** The protocol of prepared statements tells columns without running. */
async function preparedColumns(connection: Connection, sql: string): Promise<ResultSet> {
  const prepared = (await connection.prepare(sql)) as unknown as {
    readonly statement: { readonly columns: readonly FieldPacket[] }
  }
  connection.unprepare(sql)
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
    // A connection that ends, or has ended, tells it nobody else.
    core.once('error', reject)
    const query = core.query({ sql, rowsAsArray: true, typeCast: false })
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
