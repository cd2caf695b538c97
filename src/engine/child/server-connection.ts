import { setTimeout as pause } from 'node:timers/promises'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { messageOf } from '../../errors.js'
import type { RequestClock } from './request-clock.js'
import { ServerFault, type ServerSettings, type TlsSettings } from './server-protocol.js'

/** How long to wait before trying again where the server has no connection left, in milliseconds. */
const retryMs = 200

/** What differs between drivers. */
export interface Connecting<Connection> {
  /** @param mode never `prefer` */
  readonly open: (mode: TlsSettings['mode']) => Promise<Connection>
  /** Ends a connection that came too late. */
  readonly discard: (connection: Connection) => void
  readonly hasNoTls: (error: unknown) => boolean
  readonly hasNoConnectionLeft: (error: unknown) => boolean
  /** Whether the server will take connections in a moment: it starts, or recovers. */
  readonly isStarting: (error: unknown) => boolean
  readonly faultOf: (error: unknown) => ServerFault
}

/** Opens a connection, and waits for one where all are taken. Throws `ServerFault`. */
export async function openConnection<Connection>(
  settings: ServerSettings,
  clock: RequestClock,
  how: Connecting<Connection>,
): Promise<Connection> {
  const { signal } = clock
  const { hasNoConnectionLeft, isStarting, faultOf } = how
  clock.waitFor(`a connection to ${placeOf(settings)}`)
  for (;;) {
    try {
      return await openOnce(settings, signal, how)
    } catch (error) {
      const isTaken = hasNoConnectionLeft(error)
      if (signal.aborted || (!isTaken && !isStarting(error))) throw faultOf(error)
      clock.waitFor(`a connection: ${messageOf(error)}`)
      // They are this program's own: it asks again when one of them is free.
      if (isTaken && clock.isSharing)
        throw new ServerFault(messageOf(error), { kind: 'no-slot', cause: error })
      // Others, and queries of this run that are just ending, give theirs back.
      await pause(retryMs)
    }
  }
}

/** Opens a connection, and waits for none where all are taken. Throws what the driver throws. */
export async function openOnce<Connection>(
  { tls }: ServerSettings,
  signal: AbortSignal,
  { open, discard, hasNoTls }: Pick<Connecting<Connection>, 'open' | 'discard' | 'hasNoTls'>,
): Promise<Connection> {
  const openWith = (mode: TlsSettings['mode']): Promise<Connection> =>
    untilAborted(open(mode), signal, discard)
  if (tls.mode !== 'prefer') return openWith(tls.mode)
  try {
    return await openWith('require')
  } catch (error) {
    if (!hasNoTls(error)) throw error
    return openWith('disable')
  }
}

/** Waits for a connection no longer than until the signal is aborted: a driver may wait for a silent network without end. */
function untilAborted<Connection>(
  opening: Promise<Connection>,
  signal: AbortSignal,
  discard: (connection: Connection) => void,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      opening.then(discard, () => undefined)
      reject(new Error('the deadline has passed'))
    }
    if (signal.aborted) return abandon()
    signal.addEventListener('abort', abandon, { once: true })
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon))
  })
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
    return new ServerFault(`no answer from ${place} in ${seconds} s`, {
      hint: 'Check host, port and firewall; connect_timeout=SECONDS waits longer.',
      kind: 'silent',
      cause: error,
    })
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
