import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { answerOfKnowledge } from './knowledge-answer.js'
import type { ScoringContext } from './scoring-context.js'

/** Returns the ids of cases whose expected rows the knowledge base gives; a judge's verdict is too weak for that. */
export async function casesWithResults(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const testCase of cases) {
    if (context.signal.aborted) break
    const sql = (await answerOfKnowledge(testCase, snapshot, context))?.sql
    if (sql === undefined) continue
    const score = await context.evaluator.scoreAnswer(testCase, sql, context.signal)
    const hasRows = score.results?.kind === 'match'
    if (hasRows || (score.verdict === 'pass' && score.by !== 'judge')) found.add(testCase.id)
  }
  return found
}
