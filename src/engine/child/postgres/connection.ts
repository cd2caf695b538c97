import type { Client } from 'pg'
import { messageOf } from '../../../errors.js'
import { importDriver } from '../import-driver.js'
import { codeOf, networkFault, openConnection, tlsOptions } from '../server-connection.js'
import { ServerFault, type ServerSettings, type TlsSettings } from '../server-protocol.js'

/** Opens a connection. Throws `ServerFault`; ends what it began where `signal` is aborted. */
export function connect(settings: ServerSettings, signal: AbortSignal): Promise<Client> {
  return openConnection(settings, signal, {
    open: (mode) => open(settings, mode, signal),
    hasNoTls: (error) => /does not support SSL/i.test(messageOf(error)),
    hasNoConnectionLeft: (error) => codeOf(error) === '53300',
    faultOf: (error) => connectionFault(error, settings),
  })
}

async function open(
  settings: ServerSettings,
  mode: TlsSettings['mode'],
  signal: AbortSignal,
): Promise<Client> {
  const { default: pg } = await importDriver('pg', () => import('pg'))
  const client = new pg.Client({
    host: settings.host,
    port: settings.port,
    user: settings.user,
    // An empty one keeps the driver from looking for it elsewhere.
    password: settings.password ?? '',
    database: settings.database,
    ssl: mode === 'disable' ? false : tlsOptions(mode, settings),
    connectionTimeoutMillis: settings.connectMs,
    application_name: 'autotest',
    keepAlive: true,
  })
  // An idle connection that breaks is noticed by the next query.
  client.on('error', () => undefined)
  const abandon = (): void => void client.end().catch(() => undefined)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    await client.connect()
    return client
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

/** Says what is wrong in the user's words, and what to do. */
export function connectionFault(error: unknown, settings: ServerSettings): ServerFault {
  if (error instanceof ServerFault) return error
  const message = messageOf(error)
  const fault = (text: string, hint: string): ServerFault => new ServerFault(text, { hint, cause: error })
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return fault(
        message,
        `Check user and password: ${settings.password === undefined ? 'no password was found' : 'a password was sent'}. It comes from PGPASSWORD, the service file or the password file.`,
      )
    case '3D000':
      return fault(message, 'Correct the name of the database in `engine`.')
    case '53300':
      return fault(message, 'Lower `limits.concurrency`, or raise the connection limit of server or role.')
    default:
      return /SCRAM|SASL|password must be a string/i.test(message)
        ? fault(
            'the server wants a password, and none was found',
            'Set PGPASSWORD, or write it to the service file or the password file.',
          )
        : networkFault(error, settings)
  }
}
