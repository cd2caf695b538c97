/** A body that is larger than any reply: a server at fault, or a gzip bomb. */
export class BodyTooLarge extends Error {}

/**
 * `fetch` that follows no redirect, which would take the key to wherever it leads, and that ends a body after so many
 * bytes, counted once it is unpacked.
 */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const body = response.body.pipeThrough(counter(maxBytes))
    // Only statuses that may carry a body reach this line.
    return new Response(body, { status, statusText, headers })
  }
}

function counter(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength
      if (seen > maxBytes) controller.error(new BodyTooLarge(`the reply is larger than ${maxBytes / 1e6} MB`))
      else controller.enqueue(chunk)
    },
  })
}
