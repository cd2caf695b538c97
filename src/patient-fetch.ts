type Dispatcher = NonNullable<RequestInit['dispatcher']>

/** Where undici, which is Node's fetch, keeps what sends its requests: through a proxy, where Node is told of one. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1')

/**
 * `fetch` that waits for headers and body until its signal aborts. Node's own gives either up after 300 s of silence,
 * whatever the signal, and a model on a slow machine thinks for longer before its first byte. Throws `UnknownEncoding` where it
 * would hand over an answer still compressed.
 */
export async function patientFetch(input: string | URL | Request, init: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, dispatcher: patientDispatcher() })
  const encoding = response.ok ? unknownEncoding(response.headers) : undefined
  if (encoding === undefined) return response
  await response.body?.cancel()
  throw new UnknownEncoding(encoding)
}

/** An answer that Node hands over as it came, compressed. */
export class UnknownEncoding extends Error {
  constructor(encoding: string) {
    super(`Content-Encoding: ${encoding}`)
    this.name = 'UnknownEncoding'
  }
}

const readable: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity', ''])

function unknownEncoding(headers: Headers): string | undefined {
  const encodings = (headers.get('content-encoding') ?? '').split(',')
  // Newer versions of Node read it.
  const known = (name: string): boolean =>
    readable.has(name) || (name === 'zstd' && process.versions['zstd'] !== undefined)
  return encodings.map((name) => name.trim().toLowerCase()).find((name) => !known(name))
}

/** Sends as the global one does, which has the timeouts of one request in its options; 0 is none. */
function patientDispatcher(): Dispatcher {
  // Read when a request is sent: the first call of fetch makes it.
  const current = (): Dispatcher => Reflect.get(globalThis, globalDispatcher)
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    current().dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
  return Object.assign(Object.create(null), { dispatch })
}
