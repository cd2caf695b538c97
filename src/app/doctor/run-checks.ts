import { AutotestError, messageOf } from '../../errors.js'
import type { Check, CheckResult, Finding } from './check.js'
import type { DoctorEnvironment } from './environment.js'

export interface CompletedCheck extends CheckResult {
  /** Stack of an unexpected error: a bug in the check itself. */
  readonly stack?: string | undefined
}

/** Limit for one check, in milliseconds: none takes that long unless it hangs. */
const checkDeadlineMs = 10_000

export interface RunChecksOptions {
  /** Limit for one check, in milliseconds; 10 s if absent. */
  readonly deadlineMs?: number | undefined
  /** Ends the wait for all checks: throws `interrupted`. */
  readonly signal: AbortSignal
}

/**
 * Starts all checks and yields their results in the order of the list, each as soon as it and those before it
 * are available. A check that throws, or has not ended after `deadlineMs`, is reported as a problem and
 * delays no other result.
 */
export async function* runChecks(
  checks: readonly Check[],
  surroundings: DoctorEnvironment,
  { deadlineMs = checkDeadlineMs, signal }: RunChecksOptions,
): AsyncGenerator<CompletedCheck, void> {
  const looking = checks.map((check) => runCheck(check, surroundings, deadlineMs))
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(interruption())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  // Not observed any more once all results are available.
  interrupted.catch(() => undefined)
  for (const row of looking) {
    const found = await Promise.race([row, interrupted])
    if (found !== undefined) yield found
  }
}

function interruption(): AutotestError {
  return new AutotestError('interrupted', 'interrupted: checks without a line did not run', {
    hint: 'Run it again.',
  })
}

async function runCheck(
  { name, run }: Check,
  surroundings: DoctorEnvironment,
  deadlineMs: number,
): Promise<CompletedCheck | undefined> {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, 'late')
  })
  try {
    const found = await Promise.race([run(surroundings, giveUp.signal), deadline])
    if (found !== 'late') return found && { name, ...found }
    giveUp.abort()
    return {
      name,
      status: 'problem',
      detail: `no answer within ${deadlineMs / 1000} s`,
      fix: 'Check the program, service or file system that it waits for.',
    }
  } catch (error) {
    return { name, ...failureFinding(error) }
  } finally {
    clearTimeout(timer)
  }
}

function failureFinding(error: unknown): Finding & { readonly stack?: string | undefined } {
  if (error instanceof AutotestError) return { status: 'problem', detail: error.message, fix: error.hint }
  return {
    status: 'problem',
    detail: `this check failed, which is a bug in autotest: ${messageOf(error)}`,
    fix: 'Report it with what `autotest doctor --verbose` prints.',
    stack: error instanceof Error ? error.stack : undefined,
  }
}
