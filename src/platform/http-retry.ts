import { UnknownEncoding } from './fetch-without-timeout.js'

/** Maximal number of tries of one request: the first and three more. */
export const mostTries = 4
const firstPauseMs = 200
/** A longer wait that a service requests is reduced to this. */
const longestPauseMs = 5000

const passing: ReadonlySet<number> = new Set([502, 503, 504])

/** Reports whether the same request may succeed a moment later. */
export function isPassing(status: number): boolean {
  return passing.has(status)
}

/**
 * Returns the pause before try `next` (the second is 2), in milliseconds: doubling, or as Retry-After
 * requests, within bounds.
 */
export function pauseBefore(next: number, retryAfter: string | null, nowMs: number): number {
  const asked = retryAfter === null ? undefined : retryAfterMs(retryAfter, nowMs)
  return Math.min(longestPauseMs, asked ?? firstPauseMs * 2 ** (next - 2))
}

/**
 * Returns the wait in Retry-After, in milliseconds, given as seconds, which some services write with
 * decimals, or as a future date; undefined if it is neither: a past date requests no pause, and retrying
 * immediately would be none.
 */
export function retryAfterMs(text: string, nowMs: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text.trim())) return Number(text) * 1000
  // Date.parse() reads "-5" and "soon; 5" as years.
  const date = /^(?:[a-z]{3,9},? \d|\d{4}-\d\d-\d\d)/i.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) || date <= nowMs ? undefined : date - nowMs
}

/** Error codes of broken connections in Node's fetch and body streams. */
const broken: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'])

/** Reports whether a connection broke, while connecting or within the body. */
export function isReset(error: unknown): boolean {
  if (unreadableReply(error) !== undefined) return false
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && broken.has(at.code)) return true
  return error instanceof Error && error.message === 'terminated'
}

const withoutCompression = 'Turn off compression in the server, or in the proxy in front of it.'

/** Returns the cause of an unreadable reply that is permanent, with its hint. */
export function unreadableReply(
  error: unknown,
): { readonly message: string; readonly hint: string } | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof UnknownEncoding)
      return {
        message: `its answer has an unrequested compression (${at.message})`,
        hint: withoutCompression,
      }
    const code = 'code' in at ? String(at.code) : ''
    // zlib's errors, and Brotli's: `ERR__ERROR_FORMAT_PADDING_2`.
    if (/^(?:Z_|ERR__)/.test(code))
      return {
        message: `its answer does not match its Content-Encoding (${code})`,
        hint: withoutCompression,
      }
    // The message of Node's fetch.
    if (code === 'UND_ERR_SOCKET' && at.message === 'bad response')
      return {
        message: 'it sends an unrequested interim response (HTTP 100 or 101)',
        hint: 'Turn these off in the server, or in the proxy in front of it.',
      }
  }
  return undefined
}
