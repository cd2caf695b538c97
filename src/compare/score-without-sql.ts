import type { Score } from './score.js'

/** An abstention counts against the agent where the case has an answer. */
export function scoreNoAnswer(message: string): Score {
  return { verdict: 'fail', reason: `no answer: ${message}` }
}

/** A broken agent is infrastructure, never a wrong answer. */
export function scoreAgentError(message: string): Score {
  return { verdict: 'error', errorCause: 'agent', reason: `agent: ${message}` }
}
