import { setTimeout as pause } from 'node:timers/promises'
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import { messageOf } from '../../../errors.js'
import { isPassing, isReset, mostTries, pauseBefore } from '../../../platform/http-retry.js'
import { encodingsOf, runsOf, withoutRuns } from '../../../text/secret-encodings.js'
import { parseExactJson } from '../../query/exact-json.js'
import { type FaultKind, ServerFault, type ServiceSettings } from '../server-protocol.js'

export interface RestReply {
  readonly status: number
  /** Parsed JSON, undefined where the body is empty. */
  readonly body: unknown
}

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** A path at the service, or an address that it gave. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Most bytes of one body: pages of services have some megabytes. */
const bodyBytes = 256_000_000
const shownBytes = 500

/** Asks a service, at its own address only; repeats what it could not answer for a moment. */
export class RestClient {
  readonly #settings: ServiceSettings
  readonly #headers: (token: string | undefined) => Readonly<Record<string, string>>
  readonly #dispatcher: Dispatcher
  readonly #token: () => Promise<string | undefined>
  #lastToken: string | undefined

  /**
   * @param headers what each request has, by the token that it is sent with
   * @param token obtains one, and again for each request: it may have expired
   */
  constructor(
    settings: ServiceSettings,
    headers: (token: string | undefined) => Readonly<Record<string, string>>,
    token: () => Promise<string | undefined>,
  ) {
    this.#settings = settings
    this.#headers = headers
    this.#token = token
    const { ca, connectMs } = settings
    const options = {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectMs, ...(ca === undefined ? {} : { ca }) },
    }
    this.#dispatcher =
      process.env['NODE_USE_ENV_PROXY'] === '1' ? new EnvHttpProxyAgent(options) : new Agent(options)
  }

  /** Throws `ServerFault` where there is no reply, one that is no JSON, or one that refuses the user. */
  async send(request: RestRequest): Promise<RestReply> {
    const url = this.#addressOf(request.path)
    for (let tries = 1; ; tries += 1) {
      const reply = await this.#try(url, request)
      if (!('retryAfter' in reply)) return reply
      if (tries === mostTries) throw reply.fault
      await pause(pauseBefore(tries + 1, reply.retryAfter, Date.now()), undefined, { signal: request.signal })
    }
  }

  get user(): string {
    return this.#settings.user
  }

  /** Returns a text of the service as one short line, without the token. */
  oneLine(text: string): string {
    const token = this.#lastToken
    const safe =
      token === undefined ? text : withoutRuns(text.replaceAll(token, '***'), runsOf(encodingsOf(token)))
    return safe.replaceAll(/\s+/g, ' ').trim().slice(0, shownBytes)
  }

  #addressOf(path: string): URL {
    const { origin } = this.#settings
    const url = URL.canParse(path, origin) ? new URL(path, origin) : undefined
    if (url?.origin === origin) return url
    throw new ServerFault(`${origin} answers with an address of another server: ${this.oneLine(path)}`, {
      hint: 'Where a proxy stands before the service, have it forward the host (X-Forwarded-Host, X-Forwarded-Proto), or write `engine` as the service calls itself.',
    })
  }

  async #try(
    url: URL,
    { method, headers, body, signal }: RestRequest,
  ): Promise<RestReply | { readonly retryAfter: string | null; readonly fault: ServerFault }> {
    this.#lastToken = await this.#token()
    try {
      const response = await fetch(url, {
        method,
        headers: { accept: 'application/json', ...this.#headers(this.#lastToken), ...headers },
        ...(body === undefined ? {} : { body }),
        // A redirect would send the token to another address.
        redirect: 'manual',
        dispatcher: this.#dispatcher,
        signal,
      })
      const text = await textOf(response.body)
      if (isPassing(response.status) || response.status === 429)
        return {
          retryAfter: response.headers.get('retry-after'),
          fault: this.#refusal(response.status, text),
        }
      if (
        response.status === 401 ||
        response.status === 403 ||
        (response.status >= 300 && response.status < 400)
      )
        throw this.#refusal(response.status, text)
      return { status: response.status, body: this.#parsed(response.status, text) }
    } catch (error) {
      if (error instanceof ServerFault || signal.aborted) throw error
      const fault = this.#networkFault(error)
      // A statement whose reply is lost may be running: only what changes nothing is repeated.
      if (isReset(error) && method !== 'POST') return { retryAfter: null, fault }
      throw fault
    }
  }

  #parsed(status: number, text: string): unknown {
    if (text.trim() === '') return undefined
    try {
      return parseExactJson(text)
    } catch (error) {
      const isPage = /^\s*</.test(text)
      throw new ServerFault(
        `${this.#settings.origin} answers HTTP ${status} with ${isPage ? 'a page of HTML' : 'what is no JSON'}: ${this.oneLine(text).slice(0, 120)}`,
        { hint: 'Correct the address of `engine`; a sign-in page may stand before it.', cause: error },
      )
    }
  }

  #refusal(status: number, text: string): ServerFault {
    const said = /^\s*</.test(text) ? '' : `: ${this.oneLine(text).slice(0, 200)}`
    const { origin, credentials } = this.#settings
    if (status === 401 || status === 403) {
      const what = credentials.kind === 'none' ? 'asks who you are' : 'refuses the credentials'
      return new ServerFault(`${origin} ${what} (HTTP ${status})${said}`, {
        hint: 'docs/engines.md lists where they come from.',
      })
    }
    const hint =
      status >= 300 && status < 400
        ? 'Write `engine` with the address that it leads to; redirects are not followed.'
        : undefined
    return new ServerFault(`${origin} answers HTTP ${status}${said}`, { hint })
  }

  #networkFault(error: unknown): ServerFault {
    const { origin, connectMs } = this.#settings
    const { code, message } = innermost(error)
    const fault = (text: string, hint: string, kind?: FaultKind): ServerFault =>
      new ServerFault(text, { hint, kind, cause: error })
    if (code === 'ECONNREFUSED')
      return fault(`no server answers at ${origin}`, 'Start it, or correct host and port of `engine`.')
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return fault(`the host of ${origin} is unknown`, 'Correct the host of `engine`.')
    if (code === 'CERT_HAS_EXPIRED')
      return fault(`the certificate of ${origin} has expired`, 'Have it renewed.')
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return fault(
        `the certificate of ${origin} is for another host`,
        'Write the host as its certificate does.',
      )
    if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code))
      return fault(
        `the certificate of ${origin} is of no known authority`,
        'Name the file of its authority: sslrootcert=FILE.',
      )
    if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
      return fault(
        `no answer from ${origin} in ${connectMs / 1000} s`,
        'Check host, port and firewall; connect_timeout=SECONDS waits longer.',
        'silent',
      )
    if (/EPROTO|ERR_SSL|HPE_/.test(code))
      return fault(
        `${origin}: ${message}`,
        'It may speak the other one of http and https: sslmode=disable is http.',
      )
    return fault(`${origin}: ${this.oneLine(message)}`, 'Check `engine` and the service.')
  }
}

/** What requests with JSON have, by their token. */
export function jsonHeaders(token: string | undefined): Readonly<Record<string, string>> {
  const type = { 'content-type': 'application/json' }
  return token === undefined ? type : { ...type, authorization: `Bearer ${token}` }
}

async function textOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > bodyBytes) throw new ServerFault(`a reply of more than ${bodyBytes / 1e6} MB`)
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/** Returns the innermost cause: that of fetch is "fetch failed" whatever the reason. */
function innermost(error: unknown): { readonly code: string; readonly message: string } {
  let at = error
  for (;;) {
    const { cause, errors } = at as { cause?: unknown; errors?: readonly unknown[] }
    const next = errors?.[0] ?? cause
    if (!(next instanceof Error)) break
    at = next
  }
  return { code: String((at as { code?: unknown }).code ?? ''), message: messageOf(at) }
}
