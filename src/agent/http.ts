import { setTimeout as pause } from 'node:timers/promises'
import { isPassing, isReset, mostTries, pauseBefore } from '../retry.js'
import type { Agent } from './agent.js'
import { createMaterializer } from './materialize.js'
import { cut, expectedAnswer, type Outcome, readAnswer, requestFor } from './protocol.js'
import { sampleOf } from './sample.js'

export interface HttpAgentOptions {
  readonly url: string
  readonly kbFolder: string
  /** Deadline of one answer with all its retries, in milliseconds. */
  readonly timeoutMs: number
  readonly deterministic: boolean
  /** Sent as the bearer token. */
  readonly token: string | undefined
  /** Environment variable of the token, for hints. */
  readonly tokenEnv: string | undefined
}

/** No honest answer is as large. */
const maxBytes = 1_000_000

/** A service that is sent one JSON request by POST a question, and answers as a program does. */
export function httpAgent(options: HttpAgentOptions): Agent {
  const { url, kbFolder, timeoutMs, deterministic } = options
  const copies = createMaterializer(kbFolder)
  const closing = new AbortController()
  const name = `http:${url}`
  return {
    name,
    deterministic,
    ask: (question, snapshot, signal) =>
      sampleOf(name, copies, snapshot, async (kb): Promise<Outcome> => {
        const deadline = AbortSignal.timeout(timeoutMs)
        const signals = [deadline, closing.signal, ...(signal === undefined ? [] : [signal])]
        try {
          return await post(JSON.stringify(requestFor(question, kb)), options, AbortSignal.any(signals))
        } catch (error) {
          if (closing.signal.aborted || signal?.aborted === true)
            return { kind: 'error', message: 'interrupted' }
          if (deadline.aborted) return { kind: 'error', message: `no answer within ${timeoutMs / 1000} s` }
          return { kind: 'error', message: `no connection: ${innermost(error)}`, detail: 'Check agent.url.' }
        }
      }),
    async close() {
      closing.abort()
      copies.close()
    },
  }
}

async function post(body: string, options: HttpAgentOptions, signal: AbortSignal): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const last = attempt === mostTries
    const response = await fetch(options.url, {
      method: 'POST',
      headers: headersOf(options),
      body,
      // Followed, it would take the token to wherever it leads.
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      if (!isReset(error) || last) throw error
      return undefined
    })
    const retry = response === undefined || isPassing(response.status) || response.status === 429
    if (response !== undefined && (!retry || last)) return outcomeOf(response, options)
    await response?.body?.cancel()
    const asked = response?.headers.get('retry-after') ?? null
    await pause(pauseBefore(attempt + 1, asked, Date.now()), undefined, { signal })
  }
}

function headersOf({ token }: HttpAgentOptions): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

async function outcomeOf(response: Response, options: HttpAgentOptions): Promise<Outcome> {
  const { status } = response
  const text = await limitedText(response)
  if (status === 401 || status === 403) {
    const remedy = options.tokenEnv === undefined ? 'set agent.token_env' : `check ${options.tokenEnv}`
    return { kind: 'error', message: `it wants another token (HTTP ${status}); ${remedy}` }
  }
  if (!response.ok) return { kind: 'error', message: `HTTP ${status}: ${withoutToken(cut(text), options)}` }
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const message = `the reply is not one JSON value: ${withoutToken(cut(text), options)}`
    return { kind: 'error', message, detail: expectedAnswer }
  }
  return readAnswer(answer, () => withoutToken(text, options))
}

/** The body as text, as far as it is of a size that an answer has. */
async function limitedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > maxBytes) return `more than ${maxBytes / 1e6} MB`
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function withoutToken(text: string, { token }: HttpAgentOptions): string {
  return token === undefined ? text : text.replaceAll(token, '***')
}

function innermost(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  return at instanceof Error ? at.message : String(at)
}
