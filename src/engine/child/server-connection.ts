import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { messageOf } from '../../errors.js'
import { ServerFault, type ServerSettings, type TlsSettings } from './server-protocol.js'

/** How long to wait before trying again where the server has no connection left, in milliseconds. */
const retryMs = 200

/** What differs between drivers. */
export interface Connecting<Connection> {
  /** @param mode never `prefer` */
  readonly open: (mode: TlsSettings['mode']) => Promise<Connection>
  readonly hasNoTls: (error: unknown) => boolean
  readonly hasNoConnectionLeft: (error: unknown) => boolean
  readonly faultOf: (error: unknown) => ServerFault
}

/** Opens a connection, and waits for one where all are taken. Throws `ServerFault`. */
export async function openConnection<Connection>(
  { tls }: ServerSettings,
  signal: AbortSignal,
  { open, hasNoTls, hasNoConnectionLeft, faultOf }: Connecting<Connection>,
): Promise<Connection> {
  for (;;) {
    try {
      if (tls.mode !== 'prefer') return await open(tls.mode)
      try {
        return await open('require')
      } catch (error) {
        if (!hasNoTls(error)) throw error
        return await open('disable')
      }
    } catch (error) {
      // Others, and queries of this run that are just ending, give theirs back.
      if (!hasNoConnectionLeft(error) || signal.aborted) throw faultOf(error)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

/** Returns the options of `tls.connect`. Drivers compare a certificate with `localhost` where the host is an address. */
export function tlsOptions(mode: TlsSettings['mode'], { host, tls }: ServerSettings) {
  const { ca, certificate, key } = tls
  const own = {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
  }
  if (mode !== 'verify-full' && mode !== 'verify-ca') return { ...own, rejectUnauthorized: false }
  const check = mode === 'verify-full' ? checkServerIdentity : () => undefined
  return {
    ...own,
    rejectUnauthorized: true,
    checkServerIdentity: (_name: string, peer: PeerCertificate) => check(host, peer),
  }
}

const unknownAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** Says what is wrong between here and the server, and what to do; whatever is not known as it is. */
export function networkFault(error: unknown, settings: ServerSettings): ServerFault {
  const place = placeOf(settings)
  const seconds = settings.connectMs / 1000
  const fault = (text: string, hint: string): ServerFault => new ServerFault(text, { hint, cause: error })
  const code = networkCodeOf(error)
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return fault(`no server answers at ${place}`, 'Start it, or correct host and port of `engine`.')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fault(`the host ${settings.host} is unknown`, 'Correct the host of `engine`.')
  if (code === 'CERT_HAS_EXPIRED')
    return fault(
      `the certificate of ${place} has expired`,
      'Have it renewed; sslmode=require connects without checking it.',
    )
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return fault(
      `the certificate of ${place} is for another host: ${messageOf(error)}`,
      'Write the host as its certificate does, or use sslmode=verify-ca.',
    )
  if (unknownAuthority.has(code))
    return fault(
      `the certificate of ${place} is of no known authority`,
      'Name the file of its authority: sslrootcert=FILE.',
    )
  if (code === 'ETIMEDOUT' || /timeout/i.test(messageOf(error)))
    return fault(
      `no answer from ${place} in ${seconds} s`,
      'Check host, port and firewall; connect_timeout=SECONDS waits longer.',
    )
  return fault(`${place}: ${messageOf(error)}`, 'Check `engine` and the server.')
}

export function placeOf({ host, port }: ServerSettings): string {
  return host.startsWith('/') ? host : `${host}:${port}`
}

/** Returns the code of the server, or that of the operating system. */
export function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return errors === undefined ? '' : codeOf(errors[0] ?? {})
}

/** Returns the code below what a driver has wrapped. */
function networkCodeOf(error: unknown): string {
  const code = codeOf(error)
  const { cause } = error as { cause?: unknown }
  return code === 'HANDSHAKE_SSL_ERROR' && cause !== undefined ? codeOf(cause) : code
}
