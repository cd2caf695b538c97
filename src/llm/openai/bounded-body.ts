/** A body that is larger than any reply: a server at fault, or a gzip bomb. */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the reply is larger than ${maxBytes / 1e6} MB`)
  }
}

/**
 * `fetch` that follows no redirect, which would take the key to wherever it leads, and that ends the body of an error,
 * which the SDK reads, after so many bytes, counted once it is unpacked. Whoever gets a success bounds it by `readBody`.
 */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    if (response.ok || response.body === null) return response
    const { status, statusText, headers } = response
    const body = response.body.pipeThrough(counter(maxBytes))
    // Only statuses that may carry a body reach this line.
    return new Response(body, { status, statusText, headers })
  }
}

/** The whole body. Throws `BodyTooLarge` as soon as it has more bytes than that, and lets go of the rest. */
export async function readBody({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let seen = 0
  // A loop of its own: a stream that counts on the way takes longer than all else about a reply.
  const reader = body?.getReader()
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    seen += next.value.byteLength
    if (seen > maxBytes) {
      await reader?.cancel()
      throw new BodyTooLarge(maxBytes)
    }
    chunks.push(next.value)
  }
  return Buffer.concat(chunks)
}

function counter(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength
      if (seen > maxBytes) controller.error(new BodyTooLarge(maxBytes))
      else controller.enqueue(chunk)
    },
  })
}
