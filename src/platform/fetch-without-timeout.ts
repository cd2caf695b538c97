import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'

let dispatcher: Dispatcher | undefined

/**
 * `fetch` that waits for headers and body until its signal aborts. Node's own gives either up after 300 s of silence,
 * whatever the signal, and a model on a slow machine thinks for longer before its first byte. Throws `UnknownEncoding` where it
 * would hand over an answer still compressed.
 */
export async function fetchWithoutTimeout(input: string | URL, init: RequestInit): Promise<Response> {
  dispatcher ??= createDispatcher()
  // One interface, declared once by Node's types and once by the package's.
  const given = { ...init, dispatcher } as Parameters<typeof fetch>[1]
  const response = (await fetch(input, given)) as unknown as Response
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

/** Without time limits of its own; through a proxy where Node is told to use the one that the environment names. */
function createDispatcher(): Dispatcher {
  const limits = { headersTimeout: 0, bodyTimeout: 0 }
  return process.env['NODE_USE_ENV_PROXY'] === '1' ? new EnvHttpProxyAgent(limits) : new Agent(limits)
}
