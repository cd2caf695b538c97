import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'

let dispatcher: Dispatcher | undefined

/**
 * `fetch` that waits for headers and body until its signal aborts. Node's own times out after 300 s without
 * data, whatever the signal, and a model on a slow machine may need longer for its first byte. Throws
 * `UnknownEncoding` for a response that would be returned compressed.
 */
export async function fetchWithoutTimeout(input: string | URL, init: RequestInit): Promise<Response> {
  dispatcher ??= createDispatcher()
  // One interface, declared both by Node's types and by the package's.
  const given = { ...init, dispatcher } as Parameters<typeof fetch>[1]
  const response = (await fetch(input, given)) as unknown as Response
  const encoding = response.ok ? unknownEncoding(response.headers) : undefined
  if (encoding === undefined) return response
  await response.body?.cancel()
  throw new UnknownEncoding(encoding)
}

/** A response that Node returns still compressed. */
export class UnknownEncoding extends Error {
  constructor(encoding: string) {
    super(`Content-Encoding: ${encoding}`)
    this.name = 'UnknownEncoding'
  }
}

const readable: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity', ''])

function unknownEncoding(headers: Headers): string | undefined {
  const encodings = (headers.get('content-encoding') ?? '').split(',')
  // Newer versions of Node can decode it.
  const known = (name: string): boolean =>
    readable.has(name) || (name === 'zstd' && process.versions['zstd'] !== undefined)
  return encodings.map((name) => name.trim().toLowerCase()).find((name) => !known(name))
}

/**
 * Creates a dispatcher without time limits; it uses a proxy if Node is told to use the one in the
 * environment.
 */
function createDispatcher(): Dispatcher {
  const limits = { headersTimeout: 0, bodyTimeout: 0 }
  return process.env['NODE_USE_ENV_PROXY'] === '1' ? new EnvHttpProxyAgent(limits) : new Agent(limits)
}
