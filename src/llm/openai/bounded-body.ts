import { messageOf } from '../../errors.js'
import { fetchWithoutTimeout } from '../../platform/fetch-without-timeout.js'
import { unreadableReply } from '../../platform/http-retry.js'
import { normalizeErrorBody } from './error-body.js'

/** A body that is larger than any reply: a faulty server, or a gzip bomb. */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the reply is larger than ${maxBytes / 1e6} MB`)
  }
}

/** Names of the SDK's own headers that are sent. */
const sentHeaders = ['accept', 'content-type', 'user-agent'] as const

/**
 * Returns a `fetch` that sends no headers except those and `own` (the SDK adds those in
 * OPENAI_CUSTOM_HEADERS, which may contain the key of another endpoint), follows no redirect, which would
 * send the key to another address, sends exactly one request, and gives the SDK the body of an error, within
 * the size limit, in the form that it reads. The body of a success has to be read with `readBody`.
 */
export function boundedFetch(maxBytes: number, own: Readonly<Record<string, string>>): typeof fetch {
  return async (input, init) => {
    const made = new Headers(init?.headers)
    const kept = sentHeaders.flatMap((name) => {
      const value = made.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    const headers = { ...Object.fromEntries(kept), ...own }
    const response = await sendOnce(input, { ...init, headers, redirect: 'manual' })
    if (response.ok || response.body === null) return response
    const { status, statusText } = response
    // The status is more informative than why its body cannot be read.
    const text = await readBody(response, maxBytes).then(
      (body) => new TextDecoder().decode(body),
      unreadableReason,
    )
    // Only statuses that may have a body reach this line.
    return new Response(normalizeErrorBody(text), { status, statusText, headers: response.headers })
  }
}

function unreadableReason(error: unknown): string {
  return unreadableReply(error)?.message ?? messageOf(error)
}

/**
 * Sends a request once. `fetch` repeats a request by itself on HTTP 421 (step 14 of "HTTP-network-or-cache
 * fetch" of its standard), for which no budget was reserved, unless the body is a stream.
 */
async function sendOnce(
  input: Parameters<typeof fetch>[0],
  init: Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  const url = input instanceof Request ? input.url : input
  // A list of models is asked for without a body.
  if (init.body === undefined || init.body === null) return fetchWithoutTimeout(url, init)
  if (typeof init.body !== 'string') throw new TypeError('the SDK sends JSON as a text')
  const body = new Blob([init.body])
  const headers = { ...init.headers, 'content-length': String(body.size) }
  return fetchWithoutTimeout(url, { ...init, headers, body: body.stream(), duplex: 'half' })
}

/**
 * Returns the whole body. Throws `BodyTooLarge` as soon as it exceeds the limit, and cancels the rest.
 *
 * @param take called with each part instead of keeping it; returns false to cancel the rest
 */
export async function readBody(
  { body }: Response,
  maxBytes: number,
  take?: (part: Uint8Array) => boolean,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let seen = 0
  // An explicit loop: a counting transform stream takes longer than all other processing of a reply.
  const reader = body?.getReader()
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    seen += next.value.byteLength
    if (seen > maxBytes) {
      await reader?.cancel()
      throw new BodyTooLarge(maxBytes)
    }
    if (take === undefined) chunks.push(next.value)
    else if (!take(next.value)) {
      await reader?.cancel()
      break
    }
  }
  return Buffer.concat(chunks)
}
