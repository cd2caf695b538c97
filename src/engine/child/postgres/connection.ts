import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { Client } from 'pg'
import { messageOf } from '../../../errors.js'
import { importDriver } from '../import-driver.js'
import { ServerFault, type ServerSettings, type TlsSettings } from '../server-protocol.js'

/** How long to wait before trying again where the server has no connection left, in milliseconds. */
const retryMs = 200

/** Opens a connection. Throws `ServerFault`; ends what it began where `signal` is aborted. */
export async function connect(settings: ServerSettings, signal: AbortSignal): Promise<Client> {
  const { tls } = settings
  for (;;) {
    try {
      if (tls.mode !== 'prefer') return await open(settings, tls.mode, signal)
      try {
        return await open(settings, 'require', signal)
      } catch (error) {
        if (!/does not support SSL/i.test(messageOf(error))) throw error
        return await open(settings, 'disable', signal)
      }
    } catch (error) {
      // Others, and queries of this run that are just ending, give theirs back.
      if (codeOf(error) !== '53300' || signal.aborted) throw connectionFault(error, settings)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
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
    ssl: sslOptions(mode, settings),
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

function sslOptions(mode: TlsSettings['mode'], { host, tls: { ca, certificate, key } }: ServerSettings) {
  if (mode === 'disable') return false
  const own = {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  }
  // The driver compares with `localhost` where the host is an address.
  if (mode === 'verify-full')
    return {
      ...own,
      rejectUnauthorized: true,
      checkServerIdentity: (_name: string, peer: PeerCertificate) => checkServerIdentity(host, peer),
    }
  if (mode === 'verify-ca') return { ...own, rejectUnauthorized: true, checkServerIdentity: () => undefined }
  return { ...own, rejectUnauthorized: false }
}

/** Says what is wrong in the user's words, and what to do. */
export function connectionFault(error: unknown, settings: ServerSettings): ServerFault {
  if (error instanceof ServerFault) return error
  const message = messageOf(error)
  const place = settings.host.startsWith('/') ? settings.host : `${settings.host}:${settings.port}`
  const fault = (text: string, hint: string): ServerFault => new ServerFault(text, { hint, cause: error })
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return fault(`no server answers at ${place}`, 'Start it, or correct host and port of `engine`.')
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fault(`the host ${settings.host} is unknown`, 'Correct the host of `engine`.')
    case '28P01':
    case '28000':
      return fault(
        message,
        `Check user and password: ${settings.password === undefined ? 'no password was found' : 'a password was sent'}. It comes from PGPASSWORD, the service file or the password file.`,
      )
    case '3D000':
      return fault(message, 'Correct the name of the database in `engine`.')
    case 'CERT_HAS_EXPIRED':
      return fault(
        `the certificate of ${place} has expired`,
        'Have it renewed; sslmode=require connects without checking it.',
      )
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return fault(
        `the certificate of ${place} is of no known authority`,
        'Name the file of its authority: sslrootcert=FILE.',
      )
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return fault(
        `the certificate of ${place} is for another host: ${message}`,
        'Write the host as its certificate does, or use sslmode=verify-ca.',
      )
    case '53300':
      return fault(message, 'Lower `limits.concurrency`, or raise the connection limit of server or role.')
    default:
      if (/SCRAM|SASL|password must be a string/i.test(message))
        return fault(
          'the server wants a password, and none was found',
          'Set PGPASSWORD, or write it to the service file or the password file.',
        )
      if (/timeout/i.test(message))
        return fault(
          `no answer from ${place} in ${settings.connectMs / 1000} s`,
          'Check host, port and firewall; connect_timeout=SECONDS waits longer.',
        )
      return fault(`${place}: ${message}`, 'Check `engine` and the server.')
  }
}

/** Returns the SQLSTATE of the server, or the code of the operating system. */
export function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return errors === undefined ? '' : codeOf(errors[0] ?? {})
}
