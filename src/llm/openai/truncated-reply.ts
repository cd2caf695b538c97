import { isTruncatedJson } from '../../text/truncated-json.js'
import type { Failure } from '../provider.js'

/** A truncated reply, which is requested again like a lost connection. */
const truncatedFailure: Failure = {
  kind: 'failure',
  failure: 'transient',
  message: 'its answer ended early',
  hint: 'Check the log of the server, and of the proxy in front of it.',
  cutOff: true,
}

/**
 * An answer that broke off where nobody noticed: Node takes a compressed body that ends early for a whole one, and so
 * it does a body whose length nobody said. Undefined where it may be whole.
 */
export function detectTruncation(body: Uint8Array, compressed: boolean): Failure | undefined {
  if (body.byteLength === 0) return compressed ? truncatedFailure : undefined
  return isTruncatedJson(body) ? truncatedFailure : undefined
}
