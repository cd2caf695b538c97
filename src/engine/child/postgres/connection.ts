import { createConnection } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client } from 'pg'
import { messageOf } from '../../../errors.js'
import { importDriver } from '../import-driver.js'
import type { RequestClock } from '../request-clock.js'
import { codeOf, networkFault, openConnection, tlsOptions } from '../server-connection.js'
import { ServerFault, type ServerSettings, type TlsSettings } from '../server-protocol.js'

/** Opens a connection. Throws `ServerFault`; ends what it began where `signal` is aborted. */
export function connect(settings: ServerSettings, clock: RequestClock): Promise<Client> {
  return openConnection(settings, clock, {
    open: (mode) => open(settings, mode, clock.signal),
    discard: cut,
    hasNoTls: (error) => /does not support SSL/i.test(messageOf(error)),
    hasNoConnectionLeft: (error) => codeOf(error) === '53300',
    isStarting: (error) => codeOf(error) === '57P03',
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
  const abandon = (): void => cut(client)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    await client.connect()
    return client
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

/** Ends a connection, waiting for nothing: the driver's own end waits for a network that is silent. */
export function cut(client: Client): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: Duplex } }
  connection.stream.destroy()
}

/** The message of a cancellation (postgresql.org/docs/current/protocol-message-formats.html). */
const cancelRequest = 80_877_102

/**
 * Has what runs in a connection cancelled by a message of the protocol, which takes no connection of the role or of a pooler;
 * resolves when the server has read it.
 */
export function requestCancel(client: Client, settings: ServerSettings, signal: AbortSignal): Promise<void> {
  const { processID, secretKey } = client as unknown as {
    readonly processID: number
    readonly secretKey: number
  }
  const { host, port } = settings
  const message = Buffer.alloc(16)
  for (const [at, word] of [16, cancelRequest, processID, secretKey].entries())
    message.writeInt32BE(word, 4 * at)
  return new Promise((resolve, reject) => {
    let isSent = false
    const socket = createConnection(
      host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : ({ host, port } as never),
    )
    const abandon = (): void => {
      socket.destroy()
      reject(new Error('the server does not answer'))
    }
    signal.addEventListener('abort', abandon, { once: true })
    socket.on('connect', () => {
      isSent = true
      socket.write(message)
    })
    // The server ends it without a word; a reset is an answer, too.
    socket.on('error', (error) => (isSent ? resolve() : reject(error)))
    socket.on('end', () => {
      socket.end()
      resolve()
    })
    socket.on('close', () => {
      signal.removeEventListener('abort', abandon)
      resolve()
    })
    socket.resume()
  })
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
    case '55000':
    case '57P01':
    case '57P02':
    case '57P03':
      return fault(message, 'The server is under maintenance, starts or stops: run again when it is done.')
    default:
      return /SCRAM|SASL|password must be a string/i.test(message)
        ? fault(
            'the server wants a password, and none was found',
            'Set PGPASSWORD, or write it to the service file or the password file.',
          )
        : networkFault(error, settings)
  }
}
