import { setTimeout as pause } from 'node:timers/promises'
import { AutotestError, messageOf } from '../../errors.js'
import { fetchWithoutTimeout } from '../../platform/fetch-without-timeout.js'
import { isPassing, isReset, unreadableReply } from '../../platform/http-retry.js'
import { encodingsOf, runsOf, withoutRuns } from '../../text/secret-encodings.js'
import type { QueryLimits, QueryOutcome } from '../contract/engine.js'
import { MalformedResponse, type Page, ResponseReader } from './response-reader.js'
import { createRetryPolicy, type RetryPolicy, type TransientFailure } from './retry-policy.js'

export interface ServiceOptions {
  readonly base: URL
  /** The address in a form that may be shown. */
  readonly name: string
  readonly token: string | undefined
  /** Name of the environment variable of the token, for hints. */
  readonly tokenVariable: string
}

/** Pause before a page that had no rows yet is requested again, in milliseconds. */
const emptyPageMs = 50

/** One query with its deadline. */
interface ServiceQuery {
  readonly service: ServiceOptions
  readonly sql: string
  readonly limit: number
  readonly limits: QueryLimits
  readonly patience: RetryPolicy
  /** Aborted at the deadline, and when the engine is closed. */
  readonly signal: AbortSignal
  readonly started: number
  /** Number of pages read so far. */
  pages: number
}

/**
 * Runs one query on the service, page after page; the kept rows stay within the caps, and the whole within
 * the deadline. Throws `engine_unavailable` if the service fails, also if the deadline ends the retries: the
 * query is not the cause.
 */
export async function runServiceQuery(
  service: ServiceOptions,
  sql: string,
  limits: QueryLimits,
  closing: AbortSignal,
  limit = limits.rows + 1,
): Promise<QueryOutcome> {
  const started = performance.now()
  const deadline = AbortSignal.timeout(limits.timeoutMs)
  const signal = AbortSignal.any([deadline, closing])
  const patience = createRetryPolicy(started + limits.timeoutMs, signal)
  const asked: ServiceQuery = { service, sql, limit, limits, patience, signal, started, pages: 0 }
  try {
    return await runWithRetries(asked)
  } catch (error) {
    if (closing.aborted) return { kind: 'killed', limit: 'deadline', message: 'the engine was closed' }
    if (error instanceof AutotestError) throw error
    const { lastFailure } = patience
    if (lastFailure !== undefined) throw transientFailureError(service, lastFailure)
    if (deadline.aborted) {
      const pages = asked.pages < 2 ? '' : `, after ${asked.pages} pages of the service, each with a next one`
      const message = `stopped at its deadline of ${limits.timeoutMs / 1000} s${pages}`
      return { kind: 'killed', limit: 'deadline', message }
    }
    const unreadable = unreadableReply(error)
    if (unreadable !== undefined) throw unavailable(service, unreadable.message, error, unreadable.hint)
    const what = error instanceof MalformedResponse ? 'it does not respond like a query service' : 'no answer'
    throw unavailable(service, `${what}: ${rootCauseMessage(error)}`, error)
  }
}

async function runWithRetries(asked: ServiceQuery): Promise<QueryOutcome> {
  for (;;) {
    try {
      return await readPages(asked)
    } catch (error) {
      // The connection broke within a body: its content is discarded, and a reading query can be repeated.
      if (!isReset(error) || !(await asked.patience.waitForRetry({ error }))) throw error
    }
  }
}

async function readPages(asked: ServiceQuery): Promise<QueryOutcome> {
  const { service, sql, limit, limits, patience, signal, started } = asked
  const reader = new ResponseReader(limits)
  const visited = new Set<string>()
  let url = service.base
  let body: string | undefined = JSON.stringify({ sql, limit })
  for (let read = 1; ; read++) {
    const page = await withOwnSignal(signal, (own) => readPage(asked, url, body, reader, own))
    patience.recordProgress(read)
    asked.pages = read
    if (page.error !== undefined) return { kind: 'failed', message: oneLine(page.error, service) }
    if (page.next === undefined || reader.isFull) break
    if (page.rows === 0) await pause(emptyPageMs, undefined, { signal })
    url = nextUrl(page.next, url, service)
    body = undefined
    if (visited.has(url.href)) throw new MalformedResponse('`next` leads back to an earlier page')
    visited.add(url.href)
  }
  return { kind: 'rows', result: reader.result(), ms: performance.now() - started }
}

/**
 * Does work with a separate signal: each request leaves listeners on its signal until it is collected, which
 * would add up to thousands for thousands of pages.
 */
async function withOwnSignal<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController()
  const abort = (): void => own.abort(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await work(own.signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function readPage(
  asked: ServiceQuery,
  url: URL,
  body: string | undefined,
  reader: ResponseReader,
  signal: AbortSignal,
): Promise<Page> {
  const { service } = asked
  const response = await fetchWithRetries(asked, url, body, signal)
  if (response.body === null) throw new MalformedResponse('an empty body')
  // For a query that it cannot run, a service responds with an error status and the reason in the body.
  const answered = response.ok || response.status === 400 || response.status === 422
  if (!answered) {
    await response.body.cancel()
    throw statusError(service, response.status)
  }
  const page = await reader.readPage(response.body)
  if (!response.ok && page.error === undefined) throw statusError(service, response.status)
  return page
}

/** Returns the response to a request, which is repeated while the service is temporarily unavailable. */
async function fetchWithRetries(
  { service, patience }: ServiceQuery,
  url: URL,
  body: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  for (;;) {
    const trouble = await fetchWithoutTimeout(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: headersOf(service, body),
      ...(body === undefined ? {} : { body }),
      // A redirect would send the token to another address.
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      if (!isReset(error)) throw error
      return { error }
    })
    if (!('error' in trouble) && !isPassing(trouble.status)) return trouble
    if (!('error' in trouble)) await trouble.body?.cancel()
    if (!(await patience.waitForRetry(trouble))) throw transientFailureError(service, trouble)
  }
}

function transientFailureError(service: ServiceOptions, trouble: TransientFailure): AutotestError {
  return !('error' in trouble)
    ? statusError(service, trouble.status)
    : unavailable(service, `no answer: ${rootCauseMessage(trouble.error)}`, trouble.error)
}

function headersOf({ token }: ServiceOptions, body: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

function nextUrl(next: string, from: URL, { base }: ServiceOptions): URL {
  const url = URL.canParse(next, from.href) ? new URL(next, from.href) : undefined
  // The token is sent to the configured service only.
  if (url === undefined || url.origin !== base.origin)
    throw new MalformedResponse('`next` leads away from the service')
  return url
}

function statusError(options: ServiceOptions, status: number): AutotestError {
  if (status !== 401 && status !== 403) return unavailable(options, `it answers HTTP ${status}`)
  const { name, token, tokenVariable } = options
  const what = token === undefined ? 'asks for a token' : 'refuses the token'
  return new AutotestError('engine_unavailable', `${name} ${what} (HTTP ${status})`, {
    hint: `Set ${tokenVariable} to a token with read access, or set engine_token_env to another variable.`,
  })
}

function unavailable(
  options: ServiceOptions,
  problem: string,
  cause?: unknown,
  hint = 'Check that the query service is running and that `engine` is its address.',
): AutotestError {
  return new AutotestError('engine_unavailable', oneLine(`${options.name}: ${problem}`, options), {
    hint,
    cause,
  })
}

/** Returns the innermost message: that of fetch is "fetch failed" whatever the reason. */
function rootCauseMessage(error: unknown): string {
  let innermost = error
  while (
    innermost instanceof Error &&
    innermost.cause instanceof Error &&
    !(innermost instanceof MalformedResponse)
  )
    innermost = innermost.cause
  return messageOf(innermost)
}

/**
 * Returns a text of the service as one short line, without the token, even if the service repeats it, or a
 * part.
 */
function oneLine(text: string, { token }: ServiceOptions): string {
  const safe =
    token === undefined ? text : withoutRuns(text.replaceAll(token, '***'), runsOf(encodingsOf(token)))
  return safe.replaceAll(/\s+/g, ' ').trim().slice(0, 500)
}
