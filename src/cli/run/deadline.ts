/** The end of the time that a run may take, from its beginning. */
export interface Deadline {
  readonly signal: AbortSignal
  /** How long ago the run began: `12 s`. */
  passed(): string
}

export function startDeadline(timeMs: number | undefined): Deadline {
  const started = performance.now()
  return {
    signal: timeMs === undefined ? new AbortController().signal : AbortSignal.timeout(timeMs),
    passed: () => `${Math.round((performance.now() - started) / 1000)} s`,
  }
}
