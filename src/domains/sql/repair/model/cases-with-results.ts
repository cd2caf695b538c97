import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { interpretationOf, knowledgeBaseOf, renderQuery } from './repair-context.js'
import type { ScoringContext } from './scoring-context.js'

/** Returns the ids of cases whose expected rows the knowledge base gives; a judge's verdict is too weak for that. */
export async function casesWithResults(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<ReadonlySet<string>> {
  const kb = knowledgeBaseOf(snapshot, context)
  const found = new Set<string>()
  for (const testCase of cases) {
    if (context.signal.aborted) break
    const meaning = interpretationOf(testCase, kb, context)
    const sql =
      meaning.kind === 'bound' ? renderQuery(meaning.metric, meaning.bindings, kb, context) : undefined
    if (sql === undefined) continue
    const score = await context.evaluator.scoreAnswer(testCase, sql, context.signal)
    const hasRows = score.results?.kind === 'match'
    if (hasRows || (score.verdict === 'pass' && score.by !== 'judge')) found.add(testCase.id)
  }
  return found
}
