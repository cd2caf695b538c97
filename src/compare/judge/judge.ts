import type { SqlCase } from '../../benchmark/case.js'
import type { Engine } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import type { Policy } from '../../enums/verdict-policy.js'
import type { JudgeFinding } from '../model/judge-finding.js'
import type { ResultFinding } from '../model/score.js'
import type { VerdictDecision } from '../verdict/verdict.js'

/** Two queries whose rows agree and whose structure does not say why. */
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
 * Says whether two queries mean the same; asked only where nothing that can be checked decides. Throws
 * `AutotestError('judge_unavailable')` where no answer came.
 */
export interface Judge {
  decide(pair: JudgedPair): Promise<JudgeFinding>
}

/** Earlier judgements, by a key made of the queries, dialect, tables, the judge's definition and its model. */
export interface JudgementStore {
  find(key: string): JudgeFinding | undefined
  keep(key: string, finding: JudgeFinding, model: string): void
}

/** Whether the verdict table leaves it to a judge: rows match, on the one database or because there are none. */
export function needsJudge(decision: VerdictDecision, results: ResultFinding, policy: Policy): boolean {
  return policy === 'evidence' && decision.verdict === 'unproven' && results.kind === 'match'
}

/** A judge never turns rows that differ into a pass, and one that is not sure leaves things as they are. */
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
