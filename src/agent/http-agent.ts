import { setTimeout as pause } from 'node:timers/promises'
import { AutotestError } from '../errors.js'
import { fetchWithoutTimeout } from '../platform/fetch-without-timeout.js'
import {
  isPassing,
  isReset,
  mostTries,
  pauseBefore,
  retryAfterMs,
  unreadableReply,
} from '../platform/http-retry.js'
import type { Redactor } from '../text/secrets.js'
import { isTruncatedJson } from '../text/truncated-json.js'
import { decodeUtf8 } from '../text/utf8.js'
import type { Agent } from './agent.js'
import { sampleExternalAgent } from './external-agent.js'
import { excerpt, expectedAnswer, type Outcome, readAnswer, requestFor } from './external-agent-protocol.js'
import { createMaterializer } from './materialize-snapshot.js'

export interface HttpAgentOptions {
  readonly url: string
  readonly kbFolder: string
  /** Deadline of one answer with all its retries, in milliseconds. */
  readonly timeoutMs: number
  readonly deterministic: boolean
  /** Sent as the bearer token. */
  readonly token: string | undefined
  /** Name of the token's environment variable, for hints. */
  readonly tokenEnv: string | undefined
  readonly redact: Redactor
}

/** No legitimate answer is larger. */
const maxBytes = 1_000_000

/**
 * Uses a service as an agent: one JSON request by POST per question, answered as by a program. Throws
 * `AutotestError('agent_invalid')` if the service rejects the token: every other question would fail in the
 * same way.
 */
export function httpAgent(options: HttpAgentOptions): Agent {
  const { url, kbFolder, timeoutMs, deterministic, redact } = options
  const copies = createMaterializer(kbFolder)
  const closing = new AbortController()
  const name = `http:${url}`
  let refusal: AutotestError | undefined
  return {
    name,
    deterministic,
    ask: (question, snapshot, signal) =>
      sampleExternalAgent(name, copies, snapshot, redact, async (kb): Promise<Outcome> => {
        // Queued requests are not sent.
        if (refusal !== undefined) throw refusal
        const deadline = AbortSignal.timeout(timeoutMs)
        const end = performance.now() + timeoutMs
        const signals = [deadline, closing.signal, ...(signal === undefined ? [] : [signal])]
        try {
          const body = JSON.stringify(requestFor(question, kb))
          return await post(body, options, AbortSignal.any(signals), end)
        } catch (error) {
          if (error instanceof AutotestError) {
            refusal = error
            throw error
          }
          if (closing.signal.aborted || signal?.aborted === true)
            return { kind: 'error', message: 'interrupted' }
          if (deadline.aborted) return { kind: 'error', message: `no answer within ${timeoutMs / 1000} s` }
          const unreadable = unreadableReply(error)
          if (unreadable !== undefined)
            return { kind: 'error', message: unreadable.message, detail: unreadable.hint }
          return { kind: 'error', message: `no connection: ${innermost(error)}`, detail: 'Check agent.url.' }
        }
      }),
    async close() {
      closing.abort()
      copies.close()
    },
  }
}

/**
 * Sends one request.
 *
 * @param end of the deadline, by the clock of `performance`
 */
async function post(
  body: string,
  options: HttpAgentOptions,
  signal: AbortSignal,
  end: number,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const last = attempt === mostTries
    const reply = await send(body, options, signal).catch((error: unknown) => {
      if (!isReset(error) || last) throw error
      return undefined
    })
    const asked = reply?.headers.get('retry-after') ?? null
    const wait = pauseBefore(attempt + 1, asked, Date.now())
    const again = !last && performance.now() + wait < end
    if (reply !== undefined && !(again && (isTransientStatus(reply.status) || reply.isCut)))
      return outcomeOf(reply, options)
    await pause(wait, undefined, { signal })
  }
}

/** An answer that was received as far as it was sent. */
interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Undefined if it is larger than an answer may be. */
  readonly body: Buffer | undefined
  /** Whether it is incomplete: Node reports a truncated compressed body as complete. */
  readonly isCut: boolean
}

async function send(text: string, options: HttpAgentOptions, signal: AbortSignal): Promise<Reply> {
  const response = await fetchWithoutTimeout(options.url, {
    method: 'POST',
    headers: headersOf(options),
    body: text,
    // A redirect would send the token to another address.
    redirect: 'manual',
    signal,
  })
  const { status, headers } = response
  const body = await limitedBody(response)
  const isCut = response.ok && headers.has('content-encoding') && body !== undefined && isTruncatedJson(body)
  return { status, headers, body, isCut }
}

function isTransientStatus(status: number): boolean {
  return isPassing(status) || status === 500 || status === 429
}

function headersOf({ token }: HttpAgentOptions): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

function outcomeOf({ status, headers, body, isCut }: Reply, options: HttpAgentOptions): Outcome {
  if (status === 401 || status === 403) throw tokenRefused(status, body, options)
  if (status >= 300 && status < 400) {
    const to = headers.get('location')
    const message = `HTTP ${status}: a redirect${to === null ? '' : ` to ${excerpt(redactToken(to, options))}`}`
    return { kind: 'error', message, detail: 'Set agent.url to that address: redirects are not followed.' }
  }
  if (body === undefined) return { kind: 'error', message: `more than ${maxBytes / 1e6} MB` }
  if (isCut)
    return {
      kind: 'error',
      message: 'its answer ended early',
      detail: 'Check the log of the service, and of the proxy in front of it.',
    }
  if (status < 200 || status >= 300) {
    const said = excerpt(redactToken(body.toString('utf8'), options))
    return { kind: 'error', message: `HTTP ${status}: ${said}${describeRetryAfter(headers)}` }
  }
  const text = decodeUtf8(body)
  if (text === undefined) return { kind: 'error', message: 'the reply is not UTF-8', detail: expectedAnswer }
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const message = `the reply is not one JSON value: ${excerpt(redactToken(text, options))}`
    return { kind: 'error', message, detail: expectedAnswer }
  }
  const outcome = readAnswer(answer, () => redactToken(text, options), text)
  // Messages for people may repeat the token; a query is run unchanged.
  return outcome.kind === 'no_answer'
    ? { ...outcome, message: redactToken(outcome.message, options) }
    : outcome
}

function tokenRefused(status: number, body: Buffer | undefined, options: HttpAgentOptions): AutotestError {
  const { url, tokenEnv } = options
  const wants =
    tokenEnv === undefined
      ? 'requires a token, and none is configured'
      : `rejects the token of ${tokenEnv}, sent as Authorization: Bearer`
  const said = excerpt(redactToken(body?.toString('utf8') ?? '', options))
  return new AutotestError('agent_invalid', `agent http:${url} ${wants} (HTTP ${status}: ${said})`, {
    hint:
      tokenEnv === undefined
        ? 'Set agent.token_env to the environment variable of its token.'
        : `Check the token in ${tokenEnv}, and that agent.url is the right service.`,
  })
}

function describeRetryAfter(headers: Headers): string {
  const asked = headers.get('retry-after')
  const ms = asked === null ? undefined : retryAfterMs(asked, Date.now())
  return ms === undefined ? '' : `; it asks to wait ${Math.ceil(ms / 1000)} s`
}

/** Returns the body; undefined if it is larger than an answer may be. */
async function limitedBody({ body }: Response): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Removes the token, however short it is. */
function redactToken(text: string, { token, redact }: HttpAgentOptions): string {
  return redact(token === undefined ? text : text.replaceAll(token, '***'), 'echo')
}

function innermost(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  return at instanceof Error ? at.message : String(at)
}
