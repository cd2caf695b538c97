import { AutotestError } from '../errors.js'

/** Ctrl-C, the end that a service manager asks for, and a terminal that is gone. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What ends a command early, on request. */
export interface Interrupt {
  readonly signal: AbortSignal
  /** Returns what was thrown, or that the command was interrupted if it was thrown for that reason. */
  causeOf(thrown: unknown): unknown
  stopListening(): void
}

/** Listens to the signals that ask a command to end. A second one does not wait for the write in progress. */
export function listenToInterrupts(): Interrupt {
  const controller = new AbortController()
  const { signal } = controller
  const onInterrupt = (): void => {
    if (signal.aborted) process.exit(130)
    controller.abort()
  }
  for (const ending of endings) process.on(ending, onInterrupt)
  return {
    signal,
    causeOf: (thrown) =>
      signal.aborted && isAbort(thrown, signal.reason)
        ? new AutotestError(
            'interrupted',
            'interrupted: what was written before stays, nothing more is written',
          )
        : thrown,
    stopListening() {
      for (const ending of endings) process.off(ending, onInterrupt)
    },
  }
}

function isAbort(thrown: unknown, reason: unknown): boolean {
  if (thrown === reason) return true
  return thrown instanceof Error && (thrown.name === 'AbortError' || thrown.cause === reason)
}
