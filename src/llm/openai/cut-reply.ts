import type { Failure } from '../provider.js'

/** What is asked for once more, as a connection that broke is. */
const endedEarly: Failure = {
  kind: 'failure',
  failure: 'transient',
  message: 'its answer ended early',
  hint: 'Check the log of the server, and of the proxy before it.',
  cutOff: true,
}

/**
 * An answer that broke off where nobody noticed: Node takes a compressed body that ends early for a whole one, and so
 * it does a body whose length nobody said. Undefined where it may be whole.
 */
export function cutReply(body: Uint8Array, compressed: boolean): Failure | undefined {
  if (body.byteLength === 0) return compressed ? endedEarly : undefined
  return endsWithin(body) ? endedEarly : undefined
}

/** Whether a body is the beginning of a JSON object: where its parser gives up is where the text ends. */
function endsWithin(body: Uint8Array): boolean {
  const text = beginningIn(body)
  if (text?.trimStart().startsWith('{') !== true) return false
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const at = /at position (\d+)/.exec(error.message)?.[1]
    return at === undefined ? error.message.includes('end of JSON input') : Number(at) === text.length
  }
}

/** Its text, without half a character at its end; undefined where it is not UTF-8. */
function beginningIn(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
