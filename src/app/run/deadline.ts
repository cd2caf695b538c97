/** The time limit of a run, counted from its start. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Returns how long ago the run began: `12 s`. */
  elapsed(): string
}

export function startDeadline(timeMs: number | undefined): Deadline {
  const started = performance.now()
  return {
    signal: timeMs === undefined ? new AbortController().signal : AbortSignal.timeout(timeMs),
    elapsed: () => `${Math.round((performance.now() - started) / 1000)} s`,
  }
}
