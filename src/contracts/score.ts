import type { AutotestError } from '../errors.js'

export type Verdict = 'pass' | 'fail' | 'unproven' | 'error' | 'skipped'

/** Why a verdict is `error`; `engine_busy`: others kept the engine busy, and nothing is known of the answer. */
export type ErrorCause =
  | 'suspect_oracle'
  | 'nondeterministic'
  | 'agent'
  | 'engine'
  | 'engine_busy'
  | 'judge'
  | 'transpile'

const infrastructure: ReadonlySet<ErrorCause | undefined> = new Set([
  'agent',
  'engine',
  'engine_busy',
  'judge',
])

/** Reports whether agent, engine or judge failed, which says nothing about the case. */
export function isInfrastructureCause(cause: ErrorCause | undefined): boolean {
  return infrastructure.has(cause)
}

/** Returns the cause of an error that an engine threw. */
export function engineErrorCause({ code }: AutotestError): ErrorCause {
  return code === 'engine_busy' ? 'engine_busy' : 'engine'
}

/** A comparator's finding on one sample; its further details are defined by the domain. */
export interface Score {
  readonly verdict: Verdict
  /** The basis of a `pass`. */
  readonly by?: 'structure' | 'results' | 'judge' | undefined
  readonly errorCause?: ErrorCause | undefined
  /**
   * Whether it is a failure only because a limit of time was reached: it counts against the answer, and proves nothing
   * about a repair.
   */
  readonly isLate?: boolean | undefined
  /** One line for people: "filter missing: tz_type = 'local'; 1 of 1 rows differ". */
  readonly reason: string
}

/** Scores an abstention, which counts against the agent if the case has an answer. */
export function scoreNoAnswer(message: string): Score {
  return { verdict: 'fail', reason: `no answer: ${message}` }
}

/** Scores an answer in no form that can be read, which is the agent's failure, not its infrastructure's. */
export function scoreUnreadable(message: string): Score {
  return { verdict: 'fail', reason: `no readable answer: ${message}` }
}

/** Scores a case that was not evaluated: neither a pass nor a failure. */
export function scoreNotEvaluated(reason: string): Score {
  return { verdict: 'skipped', reason: `not evaluated: ${reason}` }
}

/** Scores a failed agent: infrastructure, never a wrong answer. */
export function scoreAgentError(message: string): Score {
  return { verdict: 'error', errorCause: 'agent', reason: `agent: ${message}` }
}
