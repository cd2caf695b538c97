/**
 * The time of one request. What it waits for (a connection, an answer, a lock that another session holds, a place in a queue)
 * and what it takes itself are counted apart, and each may last `timeoutMs`: `signal` is aborted when one of them is over.
 */
export class RequestClock {
  readonly timeoutMs: number
  readonly #abort = new AbortController()
  readonly #sharing: () => boolean
  #timer: NodeJS.Timeout | undefined
  #waitingFor: string | undefined
  #since = performance.now()
  #waitedMs = 0
  #ranMs = 0
  #extraMs = 0

  /** @param sharing whether other requests of this program run on the server */
  constructor(timeoutMs: number, sharing: () => boolean = () => false) {
    this.timeoutMs = timeoutMs
    this.#sharing = sharing
    this.#arm()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** What it waits for, in words; undefined while it runs. */
  get waitingFor(): string | undefined {
    return this.#waitingFor
  }

  /** Milliseconds that it may still wait. */
  get waitLeftMs(): number {
    this.#count()
    return Math.max(0, this.timeoutMs - this.#waitedMs)
  }

  /** Whether others of this program run on the server, and may be what it waits for. */
  get isSharing(): boolean {
    return this.#sharing()
  }

  waitFor(what: string): void {
    this.#count()
    this.#waitingFor = what
    this.#arm()
  }

  /** @param extraMs milliseconds beyond `timeoutMs`, for a server that tells by itself for what it waited, a little later */
  run(extraMs = 0): void {
    this.#count()
    this.#waitingFor = undefined
    this.#extraMs = extraMs
    this.#arm()
  }

  /** Counts what has run so far as waiting: it took locks, and did nothing else. */
  countRunAsWait(): void {
    this.#count()
    this.#waitedMs += this.#ranMs
    this.#ranMs = 0
    this.#extraMs = 0
    this.#arm()
  }

  /** Ends the request early. */
  abort(): void {
    this.#abort.abort()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #count(): void {
    const now = performance.now()
    if (this.#waitingFor === undefined) this.#ranMs += now - this.#since
    else this.#waitedMs += now - this.#since
    this.#since = now
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (this.signal.aborted) return
    const left =
      this.#waitingFor === undefined
        ? this.timeoutMs + this.#extraMs - this.#ranMs
        : this.timeoutMs - this.#waitedMs
    this.#timer = setTimeout(() => this.#abort.abort(), Math.max(0, left))
  }
}
