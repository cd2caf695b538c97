import type { SqlCase } from '../../../../benchmark/case.js'
import type { SqlScore } from '../../../../compare/model/sql-score.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { interpretationOf, knowledgeBaseOf, renderQuery } from '../model/repair-context.js'
import type { ScoringContext } from '../model/scoring-context.js'

/**
 * Scores the query that the knowledge base itself gives for a question, whatever the agent makes of it: no
 * agent and no judge is asked. Undefined if the question does not resolve to a metric, or its snippet cannot
 * be parsed.
 */
export async function scoreKnowledge(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<SqlScore | undefined> {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind !== 'bound') return undefined
  const sql = renderQuery(meaning.metric, meaning.bindings, kb, context)
  return sql === undefined ? undefined : context.evaluator.scoreUnjudged(testCase, sql, context.signal)
}
