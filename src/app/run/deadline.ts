/** The end of the time that a run may take, from its beginning. */
export interface Deadline {
  readonly signal: AbortSignal
  /** How long ago the run began: `12 s`. */
  elapsed(): string
}

export function startDeadline(timeMs: number | undefined): Deadline {
  const started = performance.now()
  return {
    signal: timeMs === undefined ? new AbortController().signal : AbortSignal.timeout(timeMs),
    elapsed: () => `${Math.round((performance.now() - started) / 1000)} s`,
  }
}
