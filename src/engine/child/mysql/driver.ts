import type { Connection, RowDataPacket } from 'mysql2/promise'
import { mysqlSyntax } from '../../../sql-text/syntax.js'
import type { RoleRights } from '../../contract/role-rights.js'
import { idleConnections } from '../idle-connections.js'
import type { RequestClock } from '../request-clock.js'
import { scratchTables } from '../scratch-tables.js'
import {
  type ScratchTables,
  type ServerDriver,
  ServerFault,
  type ServerSettings,
} from '../server-protocol.js'
import { catalogueOf, quoteName } from './catalogue.js'
import { connect, connectionFault, cut } from './connection.js'
import { refusalOf, runStatement, type StatementContext } from './run-statement.js'
import { rightsOf } from './user-rights.js'

/** Rights that reach files, other sessions and the server itself. */
const dangerous =
  /\bALL PRIVILEGES ON \*\.\*|\b(?:FILE|SUPER|PROCESS|SHUTDOWN|RELOAD|CREATE USER|SYSTEM_USER|SYSTEM_VARIABLES_ADMIN|CONNECTION_ADMIN|CONNECTION ADMIN|SET USER|SYSTEM USER)\b/

/** MySQL and MariaDB: each statement in a transaction of its own, which only reads, of a connection that is new or reset. */
export const mysqlDriver: ServerDriver = {
  async connect(settings, clock) {
    const { notes, isMariaDb, collation, sqlMode, rights } = await withConnection(
      settings,
      clock,
      (connection) => checkUser(connection, settings),
    )
    const open = (within: RequestClock): Promise<Connection> => connect(settings, within)
    const context: StatementContext = {
      settings,
      connect: open,
      connections: idleConnections<Connection>({
        open,
        // To be reset, MySQL forgets the character set of the handshake.
        reset: async (connection) => {
          await connection.reset()
          await connection.query('SET NAMES utf8mb4 COLLATE ?', [collation])
        },
        end: (connection) => connection.end(),
        watch(connection, onLost) {
          const events = connection as unknown as NodeJS.EventEmitter
          events.on('error', onLost)
          events.on('end', onLost)
        },
      }),
      isMariaDb,
      sqlMode,
    }
    return {
      notes,
      rights,
      query: (sql, caps, within) => runStatement(context, sql, caps, within),
      explain: (sql, within) => runStatement(context, sql, undefined, within),
      catalogue: async (within) =>
        settings.database === ''
          ? { tables: [], isPartial: true }
          : withConnection(settings, within, catalogueOf),
      scratch: scratchOf(settings),
      end: context.connections.endIdle,
      fingerprint: (within) =>
        withConnection(settings, within, (connection) => fingerprintOf(connection, isMariaDb)),
    }
  },
}

async function withConnection<Result>(
  settings: ServerSettings,
  clock: RequestClock,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { signal } = clock
  const connection = await connect(settings, clock)
  clock.run()
  let abandon: () => void = () => undefined
  const abandoned = new Promise<never>((_resolve, reject) => {
    abandon = () => {
      cut(connection)
      reject(new Error('the connection was cut'))
    }
  })
  signal.addEventListener('abort', abandon, { once: true })
  try {
    return await Promise.race([work(connection), abandoned])
  } catch (error) {
    throw connectionFault(error, settings)
  } finally {
    signal.removeEventListener('abort', abandon)
    if (!signal.aborted) await connection.end().catch(() => undefined)
  }
}

const scratchMode = 'STRICT_ALL_TABLES'

/** Writes where the address says so. Values that do not fit are errors, and texts are quoted as everywhere. */
function scratchOf(settings: ServerSettings): ScratchTables | undefined {
  const { scratch } = settings
  if (scratch === undefined) return undefined
  const schema = quoteName(scratch)
  return scratchTables({
    schema,
    quote: quoteName,
    newName: (name) => `${schema}.${quoteName(name)}`,
    refusalOf: (sql) => refusalOf(sql, mysqlSyntax(scratchMode)),
    run: (statements, within) =>
      withConnection(settings, within, async (connection) => {
        await connection.query(`SET time_zone = '+00:00', sql_mode = '${scratchMode}'`)
        for (const sql of statements) await connection.query(sql)
      }),
    names: (within) => withConnection(settings, within, (connection) => namesIn(connection, scratch)),
  })
}

async function namesIn(connection: Connection, schema: string): Promise<readonly string[]> {
  const [rows] = await connection.query<RowDataPacket[]>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ?',
    [schema],
  )
  return rows.map((row) => String(row['name']))
}

interface CheckedUser {
  readonly notes: readonly string[]
  readonly isMariaDb: boolean
  /** Of the handshake. */
  readonly collation: string
  readonly sqlMode: string
  readonly rights: RoleRights
}

/** Refuses a user with rights beyond the data, and says which right to write one has. */
async function checkUser(
  connection: Connection,
  { allowSuperuser, scratch }: ServerSettings,
): Promise<CheckedUser> {
  const [[row]] = await connection.query<RowDataPacket[]>(
    'SELECT version() AS version, current_user() AS user, @@collation_connection AS collation, @@sql_mode AS mode',
  )
  const [grants] = await connection.query<RowDataPacket[]>('SHOW GRANTS')
  const isMariaDb = /mariadb/i.test(String(row?.['version']))
  if (scratch !== undefined) await assertSchema(connection, scratch)
  const user = String(row?.['user'])
  const collation = String(row?.['collation'])
  const sqlMode = String(row?.['mode'])
  const rights = {
    who: `the user ${user}`,
    rights: rightsOf(
      grants.map((grant) => String(Object.values(grant)[0])),
      user,
      scratch === undefined ? undefined : quoteName(scratch),
    ),
  }
  // `GRANT rights ON place TO user …`
  const given = grants.map((grant) => String(Object.values(grant)[0]).replace(/\s+TO\s.*$/s, ''))
  const right = given.map((text) => dangerous.exec(text)?.[0]).find((found) => found !== undefined)
  if (right !== undefined) {
    if (!allowSuperuser)
      throw new ServerFault(
        `the user ${user} has the right ${right}: SQL that it runs reaches more than its data`,
        {
          hint: 'Use a user that may only SELECT (docs/engines.md has the statements); on a server without anything of value, add ?allow_superuser=true.',
        },
      )
    return {
      isMariaDb,
      collation,
      sqlMode,
      rights: { ...rights, rights: [] },
      notes: [`the user ${user} has the right ${right}, which allow_superuser accepts`],
    }
  }
  return {
    isMariaDb,
    collation,
    sqlMode,
    notes: [],
    rights,
  }
}

/** Only what the user has a right to is shown. */
async function assertSchema(connection: Connection, schema: string): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(
    'SELECT schema_name FROM information_schema.schemata WHERE schema_name = ?',
    [schema],
  )
  if (rows.length === 0)
    throw new ServerFault(`there is no schema ${schema} for copies, or the user has no right to it`, {
      hint: 'Create it and grant the rights that docs/copies.md lists, or leave out ?scratch=….',
    })
}

const counters = [
  'Com_insert',
  'Com_insert_select',
  'Com_update',
  'Com_update_multi',
  'Com_delete',
  'Com_delete_multi',
  'Com_replace',
  'Com_replace_select',
  'Com_load',
  'Com_truncate',
  'Com_create_table',
  'Com_alter_table',
  'Com_drop_table',
  'Com_rename_table',
  'Com_create_view',
  'Com_drop_view',
  'Com_call_procedure',
  'Innodb_rows_inserted',
  'Innodb_rows_updated',
  'Innodb_rows_deleted',
]

/** Counters of what writes, and the position of replication: they change with each write of the server, and with none that reads. */
async function fingerprintOf(connection: Connection, isMariaDb: boolean): Promise<string> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SHOW GLOBAL STATUS WHERE Variable_name IN (${counters.map((name) => `'${name}'`).join(', ')})`,
  )
  const [[position]] = await connection.query<RowDataPacket[]>(
    `SELECT ${isMariaDb ? '@@gtid_current_pos' : '@@gtid_executed'} AS position`,
  )
  return JSON.stringify([rows.map((row) => Object.values(row)), position])
}
