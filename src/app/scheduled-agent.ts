import pLimit from 'p-limit'
import type { Agent } from '../agent/agent.js'
import { loadScoring } from '../domains/sql/evaluator.js'
import { warmSqlParser } from '../sql/index.js'

/** Milliseconds after the first question by which all concurrent questions have been sent. */
const warmupDelayMs = 50

/**
 * Returns the agent, and loads and warms up the scoring code while its first answers are pending: once
 * `concurrency` of them were asked.
 */
export function withScoringWarmup(agent: Agent, concurrency: number): Agent {
  let asked = 0
  let warm: (() => void) | undefined = () => {
    warm = undefined
    void Promise.all([warmSqlParser(), loadScoring()])
  }
  return {
    ...agent,
    ask(question, snapshot, signal) {
      asked++
      if (asked === 1) setTimeout(() => warm?.(), warmupDelayMs).unref()
      const answer = agent.ask(question, snapshot, signal)
      if (asked === concurrency) setImmediate(() => warm?.())
      return answer
    },
  }
}

/** Returns the agent with a limit on concurrent questions, however many cases are in progress. */
export function withLimit(agent: Agent, concurrency: number): Agent {
  const limit = pLimit(concurrency)
  return {
    ...agent,
    ask: (question, snapshot, signal) => limit(() => agent.ask(question, snapshot, signal)),
  }
}
