type Dispatcher = NonNullable<RequestInit['dispatcher']>

/** Where undici, which is Node's fetch, keeps what sends its requests: through a proxy, where Node is told of one. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1')

/**
 * `fetch` that waits for headers and body until its signal aborts. Node's own gives either up after 300 s of silence,
 * whatever the signal, and a model on a slow machine thinks for longer before its first byte.
 */
export function patientFetch(input: string | URL | Request, init: RequestInit): Promise<Response> {
  return fetch(input, { ...init, dispatcher: patientDispatcher() })
}

/** Sends as the global one does, which has the timeouts of one request in its options; 0 is none. */
function patientDispatcher(): Dispatcher {
  // Read when a request is sent: the first call of fetch makes it.
  const current = (): Dispatcher => Reflect.get(globalThis, globalDispatcher)
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    current().dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
  return Object.assign(Object.create(null), { dispatch })
}
