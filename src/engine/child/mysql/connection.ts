import type { Connection } from 'mysql2/promise'
import { messageOf } from '../../../errors.js'
import { importDriver } from '../import-driver.js'
import type { RequestClock } from '../request-clock.js'
import { codeOf, networkFault, openConnection, openOnce, placeOf, tlsOptions } from '../server-connection.js'
import { ServerFault, type ServerSettings, type TlsSettings } from '../server-protocol.js'

const tooManyConnections = new Set([
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
])

const onceOptions = (settings: ServerSettings) => ({
  open: (mode: TlsSettings['mode']) => open(settings, mode),
  discard: cut,
  hasNoTls: (error: unknown) => codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT',
})

/** Opens a connection. Throws `ServerFault`; ends what it began where the clock is at an end. */
export function connect(settings: ServerSettings, clock: RequestClock): Promise<Connection> {
  return openConnection(settings, clock, {
    ...onceOptions(settings),
    hasNoConnectionLeft: (error) => tooManyConnections.has(codeOf(error)),
    // It listens only when it has started.
    isStarting: () => false,
    faultOf: (error) => connectionFault(error, settings),
  })
}

/** Opens a connection, and waits for none where all are taken. Throws what the driver throws. */
export function connectOnce(settings: ServerSettings, signal: AbortSignal): Promise<Connection> {
  return openOnce(settings, signal, onceOptions(settings))
}

async function open(settings: ServerSettings, mode: TlsSettings['mode']): Promise<Connection> {
  const { createConnection } = await importDriver('mysql2', () => import('mysql2/promise'))
  const { host, port, user, password, database } = settings
  const connection = await createConnection({
    ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
    user,
    ...(password === undefined ? {} : { password }),
    ...(database === '' ? {} : { database }),
    ...(mode === 'disable'
      ? {}
      : { ssl: { ...tlsOptions(mode, settings), verifyIdentity: mode === 'verify-full' } }),
    connectTimeout: settings.connectMs,
    charset: 'utf8mb4',
    multipleStatements: false,
    // The driver makes code of column names, which it refuses for some of them.
    disableEval: true,
    // A server must not ask for files of this machine, and functions are found as everywhere else.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE'],
  })
  // An idle connection that breaks is noticed by the next query.
  const events = connection as unknown as NodeJS.EventEmitter
  events.on('error', () => undefined)
  return connection
}

/** Ends a connection, waiting for nothing: the driver's own end waits for a network that is silent. */
export function cut(connection: Connection): void {
  const { connection: core } = connection as unknown as {
    readonly connection: { readonly stream: NodeJS.WritableStream & { destroy(): void } }
  }
  connection.destroy()
  core.stream.destroy()
}

/** Says what is wrong in the user's words, and what to do. */
export function connectionFault(error: unknown, settings: ServerSettings): ServerFault {
  if (error instanceof ServerFault) return error
  const message = messageOf(error)
  const fault = (text: string, hint: string): ServerFault => new ServerFault(text, { hint, cause: error })
  const code = codeOf(error)
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return fault(
        message,
        `Check user and password: ${settings.password === undefined ? 'no password was found' : 'a password was sent'}. It comes from MYSQL_PWD or the option file ~/.my.cnf.`,
      )
    case 'ER_BAD_DB_ERROR':
    case 'ER_DBACCESS_DENIED_ERROR':
      return fault(message, 'Correct the name of the database in `engine`, or grant SELECT on it.')
    case 'ER_SERVER_SHUTDOWN':
    case 'ER_NORMAL_SHUTDOWN':
      return fault(message, 'The server is under maintenance: run again when it is done.')
    case 'HANDSHAKE_NO_SSL_SUPPORT':
      return fault(`${placeOf(settings)} does not offer TLS`, 'sslmode=disable connects without it.')
    default:
      return tooManyConnections.has(code)
        ? fault(message, 'Lower `limits.concurrency`, or raise the connection limit of server or user.')
        : networkFault(error, settings)
  }
}
