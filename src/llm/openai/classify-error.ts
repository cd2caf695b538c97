import type { APIError } from 'openai'
import { isReset, retryAfterMs, unreadableReply } from '../../platform/http-retry.js'
import { maxWaitMs } from '../backoff.js'
import type { Failure } from '../provider.js'
import { BodyTooLarge } from './bounded-body.js'
import type { Excerpter } from './read-completion.js'

/** The names used in hints. */
export interface Endpoint {
  readonly model: string
  /** Environment variable of the key; undefined if none is sent. */
  readonly keyVariable: string | undefined
  /** Returns the shown part of its message. */
  readonly start: Excerpter
}

const untrustedCertificateCodes: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** TLS error codes that mean the server only supports http. */
const plainHttpCodes: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
])

/** Statuses of a server that may recover soon; 529 means overloaded. */
const transientStatuses: ReadonlySet<number> = new Set([408, 409, 425, 500, 502, 503, 504, 529])

/** Classifies an HTTP error status. */
export function statusFailure(error: APIError, endpoint: Endpoint, nowMs: number): Failure {
  const status = error.status ?? 0
  const said = endpoint.start(error.message.replace(/^\d+\s*(?:status code \(no body\))?/, ''))
  const message = `HTTP ${status}${said === '' ? '' : `: ${said}`}`
  const { model, keyVariable } = endpoint
  if (status === 401 || status === 403) {
    const hint =
      keyVariable === undefined
        ? 'It requires a key: set llm.key_env to its environment variable.'
        : `Check the key in ${keyVariable}${status === 403 ? `, and that it may use ${model}` : ''}.`
    return { kind: 'failure', failure: 'rejected', message, hint }
  }
  if (status === 404) {
    const hint = `Check that it has the model ${model}, and that llm.base_url ends before /chat/completions.`
    return { kind: 'failure', failure: 'rejected', message, hint }
  }
  const unpaid = [error.code, error.type].find((name) => billingErrorCodes.has(name ?? ''))
  if (unpaid !== undefined || status === 402 || /credit balance is too low/i.test(message)) {
    const name = unpaid ? ` (${unpaid})` : ''
    const hint = `The account has no credit left${name}: add some, or raise its limit.`
    return { kind: 'failure', failure: 'rejected', message, hint }
  }
  if (error.code === 'tool_use_failed') return { kind: 'failure', failure: 'unusable', message: said }
  if (status === 429 || transientStatuses.has(status)) {
    const failure = transientFailure(status, message, requestedWaitMs(error, nowMs))
    return withGatewayRetries(failure, error)
  }
  if (status >= 300 && status < 400) {
    const hint = 'Set llm.base_url to the target address: the key is not sent to redirects.'
    return { kind: 'failure', failure: 'rejected', message: `HTTP ${status}: a redirect`, hint }
  }
  if (status === 421) {
    const hint = 'It serves another host name: check llm.base_url, and the gateway in front of it.'
    return { kind: 'failure', failure: 'rejected', message, hint }
  }
  // A server that describes the error in JSON has the right address.
  const spoke = error.error !== undefined
  const hint =
    'It rejects the request: check model, temperature, seed, max_tokens and extra_body in `llm.roles`.'
  return { kind: 'failure', failure: 'incompatible', message, ...(spoke ? { hint } : {}) }
}

/**
 * Marks a failure after which a gateway asks not to retry, or has retried itself: its tries times ours would be a
 * multitude of calls. The headers are those that OpenAI's clients obey, and those of LiteLLM.
 */
function withGatewayRetries(failure: Failure, { headers }: APIError): Failure {
  const tries = Number(headers?.get('x-litellm-attempted-retries') ?? 0)
  if (tries >= 1)
    return { ...failure, final: true, message: `${failure.message}; the gateway asked ${tries + 1} times` }
  return headers?.get('x-should-retry') === 'false' ? { ...failure, final: true } : failure
}

/** OpenAI's error code for an exhausted credit. */
const billingErrorCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
])

/** Messages of llama.cpp, inference endpoints and gateways for a model that is not loaded yet. */
const modelLoadingMessage = /\bloading\b|\bstarting up\b|\bwarming up\b|\bnot (?:yet )?ready\b/i

/**
 * Returns the requested wait in milliseconds. Gemini states it only in its message, and OpenAI more exactly
 * there than in seconds.
 */
function requestedWaitMs({ headers, message }: APIError, nowMs: number): number | undefined {
  const exact = headers?.get('retry-after-ms') ?? ''
  if (/^\d+(?:\.\d+)?$/.test(exact)) return Number(exact)
  const header = headers?.get('retry-after')
  if (header) return retryAfterMs(header, nowMs)
  const words = /(?:retry|try again) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s)(?:ec|econds?)?\b/i.exec(message)
  return words === null ? undefined : Number(words[1]) * (words[2]?.toLowerCase() === 's' ? 1000 : 1)
}

function transientFailure(status: number, said: string, retryAfter: number | undefined): Failure {
  const message = withWait(said, retryAfter)
  const inTrouble = 'Check that the endpoint is up, and the gateway in front of it.'
  const failure = {
    kind: 'failure',
    failure: 'transient',
    message,
    retryAfterMs: retryAfter,
    hint: inTrouble,
  } as const
  if (status === 503 && modelLoadingMessage.test(said) && !/overload/i.test(said)) {
    const hint = 'Raise llm.timeout, or wait until it is loaded.'
    return { ...failure, failure: 'loading', message: `the model is not loaded yet (${message})`, hint }
  }
  if (status !== 429) return failure
  const hint = 'It limits the request rate: lower `limits.concurrency`, or try later.'
  return { ...failure, failure: 'rate_limit', hint }
}

/** Adds the requested wait to a message: if it is too long, it is the reason why there is no retry. */
function withWait(message: string, waitMs = 0): string {
  if (waitMs <= maxWaitMs) return message
  const seconds = Math.ceil(waitMs / 1000)
  return `${message}; it asks to wait ${seconds <= 86_400 ? `${seconds} s` : 'for more than a day'}`
}

/** Classifies a connection that was lost or never made. */
export function connectionFailure(error: unknown, start: Excerpter): Failure {
  const unreadable = unreadableReply(error)
  if (unreadable !== undefined)
    return { kind: 'failure', failure: 'incompatible', ...unreadable, cutOff: true }
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof BodyTooLarge) {
      const hint = 'Check llm.base_url, and lower max_tokens in `llm.roles` where the model does not stop.'
      return { kind: 'failure', failure: 'incompatible', message: at.message, hint, cutOff: true }
    }
    const code = 'code' in at && typeof at.code === 'string' ? at.code : ''
    if (untrustedCertificateCodes.has(code)) {
      const hint = 'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it.'
      return {
        kind: 'failure',
        failure: 'rejected',
        message: `its certificate is not trusted (${code})`,
        hint,
      }
    }
    if (plainHttpCodes.has(code)) {
      const hint = 'Use http:// in llm.base_url if it does not support https.'
      return { kind: 'failure', failure: 'rejected', message: `it does not support TLS (${code})`, hint }
    }
    if (at.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
      const message = `its response is not valid HTTP (${start(at.message)})`
      const hint = 'Check port and scheme of llm.base_url, http or https.'
      return { kind: 'failure', failure: 'transient', message, hint, cutOff: true }
    }
    if (code === 'ENOTFOUND') {
      const hint = 'Check llm.base_url.'
      return { kind: 'failure', failure: 'rejected', message: 'no such host', hint }
    }
  }
  const hint = 'Check that the endpoint is up, and llm.base_url.'
  if (isReset(error))
    return { kind: 'failure', failure: 'transient', message: 'the connection was lost', hint, cutOff: true }
  return {
    kind: 'failure',
    failure: 'transient',
    message: `no connection (${innermost(error, start)})`,
    hint,
  }
}

function innermost(error: unknown, start: Excerpter): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  const code = at instanceof Error && 'code' in at && typeof at.code === 'string' ? at.code : undefined
  const said = code ?? start(at instanceof Error ? at.message : String(at))
  // By its standard, fetch hides this status.
  return said === '' ? 'for example a proxy that answers HTTP 407: it requires a password' : said
}
