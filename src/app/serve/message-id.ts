import { z } from 'zod'
import { parseJson } from '../../text/parse-json.js'

const withId = z.object({ id: z.union([z.string(), z.number()]) })
/** The beginning of a message in which nothing is nested before its id. */
const head =
  /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(-?\d+(?=[\s,}])|"[^"\\\r\n]*"(?=[\s,}]))/

/**
 * Returns the id of a message of JSON-RPC that cannot be used, so that whoever waits for its answer gets one: bytes that are no UTF-8, or only the beginning of
 * it. Null where it cannot be read.
 */
export function messageId(bytes: Uint8Array): string | number | null {
  const text = new TextDecoder().decode(bytes)
  const whole = withId.safeParse(parseJson(text))
  if (whole.success) return whole.data.id
  const found = withId.safeParse({ id: parseJson(head.exec(text)?.[1] ?? '') })
  return found.success ? found.data.id : null
}
