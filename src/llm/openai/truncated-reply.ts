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
 * Returns the failure for an answer that was truncated unnoticed: Node treats a compressed body that ends
 * early as complete, and also a body of undeclared length. Undefined if it may be complete.
 */
export function detectTruncation(body: Uint8Array, compressed: boolean): Failure | undefined {
  if (body.byteLength === 0) return compressed ? truncatedFailure : undefined
  return isTruncatedJson(body) ? truncatedFailure : undefined
}
