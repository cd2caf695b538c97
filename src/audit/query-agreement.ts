import type { SqlCase } from '../benchmark/case.js'
import { createExpectedResultsCache } from '../compare/outcomes/expected-results-cache.js'
import { scoreSql } from '../compare/score-sql.js'
import type { Dialect } from '../enums/dialect.js'
import type { AuditContext } from './audited-case.js'

/** How another query compares with what a case expects. */
export type Agreement =
  /** Proved to be equivalent. */
  | { readonly kind: 'same' }
  /** Written differently, with equal rows as far as the data shows. */
  | { readonly kind: 'alike' }
  | { readonly kind: 'contradicts'; readonly difference: string }
  /** A query fails, or there is no database. */
  | { readonly kind: 'unknown' }

export interface Query {
  readonly sql: string
  readonly dialect: Dialect
}

/** Creates a comparison by the product's own scoring, as if an agent had answered the case with the query. */
export function createAgreementCheck(
  context: AuditContext,
): (testCase: SqlCase, query: Query) => Promise<Agreement> {
  const expectedResults = createExpectedResultsCache()
  return async (testCase, { sql, dialect }) => {
    const score = await scoreSql({
      testCase: { ...testCase, compare: { ...testCase.compare, policy: 'evidence' } },
      sql,
      agentDialect: dialect,
      engine: await context.engineOf(testCase),
      limits: context.limits,
      defaults: context.defaults,
      loadParser: () => Promise.resolve(context.parser),
      expectedResults,
      copies: context.copies,
    })
    if (score.verdict === 'error') return { kind: 'unknown' }
    if (score.verdict === 'fail') return { kind: 'contradicts', difference: score.reason }
    return score.structure?.kind === 'equal' ? { kind: 'same' } : { kind: 'alike' }
  }
}
