import type { SqlCase } from '../../benchmark/case.js'
import type { Engine } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import type { Policy } from '../../enums/verdict-policy.js'
import type { JudgeFinding } from '../model/judge-finding.js'
import type { ResultFinding } from '../model/sql-score.js'
import type { VerdictDecision } from '../verdict/verdict.js'

/** Two queries with equal rows whose structures do not prove them equivalent. */
export interface JudgedPair {
  readonly testCase: SqlCase
  readonly expected: string
  readonly generated: string
  readonly dialect: Dialect
  readonly engine: Engine
  /** How structures and results compare, in words. */
  readonly differences: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Judges whether two queries mean the same; asked only if no check decides. Throws
 * `AutotestError('judge_unavailable')` if there is no answer.
 */
export interface Judge {
  decide(pair: JudgedPair): Promise<JudgeFinding>
}

/**
 * Earlier judgements, by a key made of the queries, dialect, tables, the judge's definition and its model.
 */
export interface JudgementStore {
  find(key: string): JudgeFinding | undefined
  keep(key: string, finding: JudgeFinding, model: string): void
}

/**
 * Reports whether the verdict table leaves the decision to a judge: rows match, on the single database or
 * because there are none.
 */
export function needsJudge(decision: VerdictDecision, results: ResultFinding, policy: Policy): boolean {
  return policy === 'evidence' && decision.verdict === 'unproven' && results.kind === 'match'
}

/**
 * Applies a judgement: a judge never turns different rows into a pass, and an unsure answer changes nothing.
 */
export function applyJudgement(decision: VerdictDecision, { answer }: JudgeFinding): VerdictDecision {
  switch (answer) {
    case 'equivalent':
      return { verdict: 'pass', by: 'judge' }
    case 'not':
      return { verdict: 'fail' }
    case 'unsure':
      return decision
  }
}
